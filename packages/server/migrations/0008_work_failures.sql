-- Work that failed: how often, why, and when to try again. After ten times it is parked for a person.
create table work_failures (
  workspace_id uuid not null,
  work         text not null,
  object_id    uuid not null,
  failures     int not null check (failures > 0),
  reason       text not null,
  retry_at     timestamptz not null,
  parked_at    timestamptz,
  primary key (workspace_id, work, object_id)
);
create index work_failures_parked on work_failures (parked_at) where parked_at is not null;
create index work_failures_waiting on work_failures (work, retry_at) where parked_at is null;

alter table work_failures enable row level security;
alter table work_failures force row level security;
create policy own_workspace on work_failures to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on work_failures for select to switchyard_due using (true);
grant select, insert, update, delete on work_failures to switchyard_app;
-- With the reason, which is scrubbed: an operator looks for it across workspaces.
grant select on work_failures to switchyard_due;
