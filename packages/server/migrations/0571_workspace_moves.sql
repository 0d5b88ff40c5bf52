-- What a shard knows about the moves of a workspace. `marker` is written behind all other changes on the shard that the
-- workspace leaves, and is replicated: when it has arrived, everything has. `log_begins_at` is not replicated: transaction ids and
-- snapshots from before then belong to another database.
create table workspace_moves (
  workspace_id  uuid primary key,
  marker        uuid,
  log_begins_at timestamptz
);

alter table workspace_moves enable row level security;
alter table workspace_moves force row level security;
create policy own_workspace on workspace_moves for select to switchyard_app
  using (workspace_id = current_workspace());
-- Only the owner of the tables moves workspaces.
grant select on workspace_moves to switchyard_app;
