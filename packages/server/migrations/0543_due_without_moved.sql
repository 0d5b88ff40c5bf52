-- Work is not due here in a workspace that is open on another shard, although its rows stay here for a while. Every query
-- for due work joins `workspaces`.
alter policy mode_anywhere on workspaces using (
  not exists (select from placements where placements.workspace_id = workspaces.workspace_id and is_open)
);
