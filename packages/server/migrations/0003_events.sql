-- The event log. A change and its event are committed together, so the log is also the outbox.

create table events (
  workspace_id uuid not null,
  id           uuid not null,
  type         text not null,
  object_id    uuid not null,
  sequence     int not null check (sequence > 0),
  api_version  text not null,
  created_at   timestamptz not null,
  -- JSON made once, in the transaction of the change. Text, because jsonb would reorder what was signed.
  data         text not null,
  primary key (workspace_id, id)
) partition by range (id);

create index events_of_object on events (workspace_id, object_id, id);
create index events_of_type on events (workspace_id, type, id);

alter table events enable row level security;
alter table events force row level security;
create policy own_workspace on events to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
-- History is added to, never rewritten.
grant select, insert on events to switchyard_app;

-- For tables whose every change is told. At the end of the transaction the row must stand one step
-- further in its sequence, with the event of that step beside it: no silent change, no gap.
create function change_is_told() returns trigger
language plpgsql as $$
begin
  if new.sequence <> coalesce(old.sequence, 0) + 1 then
    raise exception '% %: sequence went from % to %, one change is one event',
      tg_table_name, new.id, coalesce(old.sequence, 0), new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  -- The event carries the instant at which this transaction began, so only the open partition is read.
  if not exists (
    select from events
    where workspace_id = new.workspace_id
      and object_id = new.id
      and id >= uuid_floor(transaction_timestamp() - interval '1 second')
      and id < uuid_floor(transaction_timestamp() + interval '1 minute')
      and sequence = new.sequence
  ) then
    raise exception '% %: changed without an event of sequence %',
      tg_table_name, new.id, new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
