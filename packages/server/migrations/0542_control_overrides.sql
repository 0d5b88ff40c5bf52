-- Workspaces that are on another shard than their slot.
create table control.overrides (
  workspace_id uuid primary key,
  shard        text not null check (shard ~ '^[a-z][a-z0-9_]{0,31}$'),
  epoch        bigint not null default 1
);
grant select on control.overrides to switchyard_control;
