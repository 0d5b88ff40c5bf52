-- Usage: meters, the events that they count, and the sums of each hour.

create table meters (
  workspace_id uuid not null,
  id           uuid not null,
  event_name   text not null check (length(event_name) between 1 and 100),
  aggregation  text not null check (aggregation in ('sum', 'count', 'max', 'last', 'unique')),
  -- The dimension whose values are counted by `unique`.
  value_key    text,
  dimensions   text[] not null check (cardinality(dimensions) <= 10),
  created_at   timestamptz not null,
  primary key (workspace_id, id),
  constraint one_meter_per_event_name unique (workspace_id, event_name),
  constraint unique_has_a_value_key check ((aggregation = 'unique') = (value_key is not null))
);

-- Writers of events lock this row until they commit, so the numbers of events become visible in their order.
create table meter_streams (
  workspace_id uuid primary key,
  -- Work is dispatched by it.
  id           uuid not null check (id = workspace_id),
  last_seq     int8 not null default 0 check (last_seq >= 0),
  -- When events are to be added to the sums. Null: all are.
  due_at       timestamptz
);
create index meter_streams_due on meter_streams (due_at) where due_at is not null;

-- The number of the last event that is included in the sums. Written together with the sums.
create table meter_cursors (
  workspace_id uuid primary key,
  counted_seq  int8 not null default 0 check (counted_seq >= 0)
);

-- Partitioned by the month in which events occurred: the first bits of the id are that time. In each partition,
-- (workspace_id, meter_id, event_id) is unique. The insert looks for the event in the other partitions.
create table meter_events (
  workspace_id uuid not null,
  id           uuid not null,
  seq          int8 not null,
  meter_id     uuid not null,
  event_id     text collate "C" not null check (length(event_id) between 1 and 200),
  customer_id  uuid not null,
  occurred_at  timestamptz not null,
  value        numeric,
  -- The value of the dimension that `unique` counts.
  distinct_key text,
  dimensions   jsonb not null,
  created_at   timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
create index meter_events_by_seq on meter_events (workspace_id, seq);

create table meter_buckets (
  workspace_id  uuid not null,
  meter_id      uuid not null,
  customer_id   uuid not null,
  hour_at       timestamptz not null,
  dimensions    jsonb not null,
  events        int8 not null check (events > 0),
  value_sum     numeric not null,
  value_max     numeric,
  -- The event that occurred last; of several, the one with the greatest id.
  last_at       timestamptz not null,
  last_event_id text collate "C" not null,
  last_value    numeric,
  primary key (workspace_id, meter_id, customer_id, hour_at, dimensions)
);

create table meter_unique_values (
  workspace_id uuid not null,
  meter_id     uuid not null,
  customer_id  uuid not null,
  hour_at      timestamptz not null,
  dimensions   jsonb not null,
  value        text collate "C" not null,
  primary key (workspace_id, meter_id, customer_id, hour_at, dimensions, value)
);

do $$
declare
  name text;
begin
  foreach name in array array['meters', 'meter_streams', 'meter_cursors', 'meter_events', 'meter_buckets',
      'meter_unique_values'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on meter_streams for select to switchyard_due using (true);
grant select, insert on meters, meter_events, meter_unique_values to switchyard_app;
grant select, insert, update on meter_streams, meter_cursors, meter_buckets to switchyard_app;
grant select (workspace_id, id, due_at) on meter_streams to switchyard_due;
