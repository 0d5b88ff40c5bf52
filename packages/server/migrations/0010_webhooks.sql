-- Webhooks: who receives events, what is owed to whom, and what became of every attempt.
--
-- One more role of the database: switchyard_delivery hands out what is due and writes results, for many
-- workspaces in one statement. It sees what a request to a receiver is made of, and nothing else.
do $$
begin
  if not exists (select from pg_roles where rolname = 'switchyard_delivery') then
    begin
      create role switchyard_delivery nologin nobypassrls;
    exception when duplicate_object or unique_violation then
      null;
    end;
  end if;
  if not pg_has_role(current_user, 'switchyard_delivery', 'set') then
    grant switchyard_delivery to current_user;
  end if;
end
$$;
grant usage on schema public to switchyard_delivery;

create table webhook_endpoints (
  workspace_id    uuid not null,
  id              uuid not null,
  url             text not null,
  name            text,
  -- Types as they were given: a type, `<object>.*` or `*`.
  event_types     text[] not null check (cardinality(event_types) between 1 and 100),
  status          text not null check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('requested', 'failing', 'gone')),
  disabled_at     timestamptz,
  ordering        text not null check (ordering in ('none', 'object')),
  max_in_flight   int not null check (max_in_flight between 1 and 100),
  rate_limit      int check (rate_limit between 1 and 1000),
  timeout_seconds int not null check (timeout_seconds between 5 and 30),
  metadata        jsonb not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  version         int not null default 1,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((disabled_at is null) = (disabled_reason is null))
);
create index webhook_endpoints_present on webhook_endpoints (workspace_id, id) where deleted_at is null;

create constraint trigger webhook_endpoints_change_is_told after insert or update on webhook_endpoints
  deferrable initially deferred for each row execute function change_is_told();

create table webhook_secrets (
  workspace_id        uuid not null,
  webhook_endpoint_id uuid not null,
  id                  uuid not null,
  -- Sealed; the text is in no column.
  sealed              bytea not null,
  created_at          timestamptz not null,
  -- Null: it is the newest, and signs until it is rotated.
  expires_at          timestamptz,
  primary key (workspace_id, webhook_endpoint_id, id)
);
create unique index webhook_secrets_newest on webhook_secrets (workspace_id, webhook_endpoint_id)
  where expires_at is null;

-- What moves while an endpoint is being served: who serves it, how it fares, when it rests. Apart from the
-- endpoint itself, whose every change is told.
create table webhook_lanes (
  workspace_id       uuid not null,
  -- The endpoint's id.
  id                 uuid not null,
  -- The process that serves it, while its lease lasts. Leases are by the database's own time.
  owner              uuid,
  lease_until        timestamptz,
  health             text not null default 'healthy' check (health in ('healthy', 'failing', 'open')),
  failing_since_at   timestamptz,
  last_success_at    timestamptz,
  -- Nothing is sent before: the breaker is open, or the receiver asked for a rest.
  rest_until         timestamptz,
  probe_wait_seconds int not null default 0,
  -- Deliveries whose first attempt failed since the last success.
  failed_deliveries  int not null default 0,
  -- Failures that nothing came between, for a receiver that is sent something only now and then.
  failures_in_a_row  int not null default 0,
  -- Raised when what is known of the receiver is to be forgotten: a process that learned it before may not
  -- write it any more.
  epoch              int not null default 0,
  -- How many warnings were told since the last success.
  warnings           int not null default 0,
  -- When deliveries must be brought in line with an endpoint that was enabled, disabled or deleted, or an
  -- expired secret erased.
  sweep_at           timestamptz,
  -- Until then it is swept once more: transactions that were under way may have read the old status.
  sweep_until        timestamptz,
  -- Whether deliveries that are held are to be sent: the endpoint was enabled, and they were asked for.
  release_held       boolean not null default false,
  primary key (workspace_id, id)
) with (fillfactor = 50);
create index webhook_lanes_sweep on webhook_lanes (sweep_at) where sweep_at is not null;

alter table events
  -- To how many endpoints the event was addressed when it happened.
  add column fan_out int2 not null default 0,
  -- The transaction that wrote it: what a live view has not seen yet is what its last snapshot did not show.
  add column txid xid8 not null default '0';
alter table events alter column txid set default pg_current_xact_id();

-- One delivery per event and endpoint: the id is made of the two, so that the key itself forbids a second.
-- Its first half is that of the event's id: deliveries lie together, and in the stretch of time of the event.
create function delivery_id(event_id uuid, webhook_endpoint_id uuid) returns uuid
language sql immutable parallel safe
return encode(
  substring(uuid_send(event_id) from 1 for 8)
    || set_bit(set_bit(
         substring(sha256(uuid_send(event_id) || uuid_send(webhook_endpoint_id)) from 1 for 8), 7, 1), 6, 0),
  'hex')::uuid;

create table deliveries (
  workspace_id        uuid not null,
  id                  uuid not null,
  event_id            uuid not null,
  webhook_endpoint_id uuid not null,
  event_type          text not null,
  object_id           uuid not null,
  sequence            int not null,
  -- Waits until earlier events of the same object are done with.
  ordered             boolean not null,
  state               text not null check (state in ('pending', 'delivered', 'exhausted', 'held', 'deleted')),
  due_at              timestamptz not null,
  -- Why the next attempt is made.
  trigger             text not null default 'schedule' check (trigger in ('schedule', 'resend', 'recover', 'test')),
  -- Attempts of the current round; a resend begins a new one.
  tries               int not null default 0,
  -- All attempts there ever were.
  attempts            int not null default 0,
  exhaustions         int not null default 0,
  version             int not null default 1,
  last_outcome        text,
  last_status         int2,
  settled_at          timestamptz,
  primary key (workspace_id, id)
) partition by range (id);
create index deliveries_due on deliveries (workspace_id, webhook_endpoint_id, due_at) where state = 'pending';
create index deliveries_of_endpoint on deliveries (workspace_id, webhook_endpoint_id, id);
create index deliveries_open on deliveries (workspace_id, webhook_endpoint_id, state, id)
  where state in ('held', 'exhausted');
create index deliveries_ordered on deliveries (workspace_id, webhook_endpoint_id, object_id, sequence)
  where state = 'pending' and ordered;

create table delivery_attempts (
  workspace_id      uuid not null,
  delivery_id       uuid not null,
  number            int not null check (number > 0),
  trigger           text not null check (trigger in ('schedule', 'probe', 'resend', 'recover', 'test')),
  started_at        timestamptz not null,
  duration_ms       int not null,
  dns_ms            int,
  connect_ms        int,
  tls_ms            int,
  first_byte_ms     int,
  connection_reused boolean not null,
  outcome           text not null check (outcome in ('ok', 'redirect', 'gone', 'throttled', 'http_error', 'timeout',
    'dns_failed', 'connect_failed', 'tls_failed', 'blocked')),
  status            int2,
  remote_ip         text,
  -- What went wrong, in a sentence; null if the receiver answered.
  detail            text,
  response_headers  jsonb,
  response_body     text,
  -- As they were sent.
  signature_digest  text not null,
  webhook_signature text not null,
  webhook_timestamp bigint not null,
  secret_ids        uuid[] not null,
  next_attempt_at   timestamptz,
  worker            uuid not null,
  primary key (workspace_id, delivery_id, number)
) partition by range (delivery_id);

create table webhook_recoveries (
  workspace_id        uuid not null,
  id                  uuid not null,
  webhook_endpoint_id uuid not null,
  since_at            timestamptz not null,
  until_at            timestamptz not null,
  states              text[] not null,
  event_types         text[],
  rate                int check (rate between 1 and 1000),
  dry_run             boolean not null,
  status              text not null check (status in ('running', 'completed', 'cancelled')),
  matched             int not null default 0,
  released            int not null default 0,
  -- How far it got: the id of the last event that was looked at.
  cursor              uuid,
  due_at              timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  completed_at        timestamptz,
  version             int not null default 1,
  primary key (workspace_id, id),
  check ((status = 'running') = (due_at is not null)),
  check ((status = 'running') = (completed_at is null))
);
create index webhook_recoveries_of_endpoint on webhook_recoveries (workspace_id, webhook_endpoint_id, id);
create index webhook_recoveries_due on webhook_recoveries (due_at) where due_at is not null;

do $$
declare
  name text;
begin
  foreach name in array array['webhook_endpoints', 'webhook_secrets', 'webhook_lanes', 'deliveries',
    'delivery_attempts', 'webhook_recoveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on webhook_endpoints, webhook_lanes, deliveries, webhook_recoveries to switchyard_app;
grant select, insert, update, delete on webhook_secrets to switchyard_app;
-- What was tried is history.
grant select, insert on delivery_attempts to switchyard_app;

create policy due_anywhere on webhook_lanes for select to switchyard_due using (true);
create policy due_anywhere on deliveries for select to switchyard_due using (true);
create policy due_anywhere on webhook_recoveries for select to switchyard_due using (true);
grant select (workspace_id, id, owner, lease_until, rest_until, sweep_at) on webhook_lanes to switchyard_due;
grant select (workspace_id, webhook_endpoint_id, due_at, state) on deliveries to switchyard_due;
grant select (workspace_id, id, due_at) on webhook_recoveries to switchyard_due;

create policy deliver_anywhere on workspaces for select to switchyard_delivery using (true);
create policy deliver_anywhere on workspace_keys for select to switchyard_delivery using (true);
create policy deliver_anywhere on events for select to switchyard_delivery using (true);
create policy deliver_anywhere on webhook_endpoints for select to switchyard_delivery using (true);
create policy deliver_anywhere on webhook_secrets for select to switchyard_delivery using (true);
create policy deliver_anywhere on webhook_lanes to switchyard_delivery using (true);
create policy deliver_anywhere on deliveries to switchyard_delivery using (true);
create policy deliver_anywhere on delivery_attempts to switchyard_delivery using (true) with check (true);
grant select (workspace_id, mode) on workspaces to switchyard_delivery;
grant select on workspace_keys, events, webhook_endpoints, webhook_secrets to switchyard_delivery;
grant select, update on webhook_lanes, deliveries to switchyard_delivery;
grant select (workspace_id, delivery_id, number, worker, started_at), insert on delivery_attempts to switchyard_delivery;
