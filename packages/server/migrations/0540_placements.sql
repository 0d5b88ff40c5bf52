-- A fence around each workspace. A row says that the workspace is not on this shard, or is about to leave it: `moved_to`
-- names the other shard, and `is_open` says whether the workspace can be used there. A workspace without a row is here.
create table placements (
  workspace_id uuid primary key,
  moved_to     text not null check (moved_to ~ '^[a-z][a-z0-9_]{0,31}$'),
  is_open      boolean not null,
  closed_at    timestamptz not null default now()
);

alter table placements enable row level security;
alter table placements force row level security;
create policy own_workspace on placements for select to switchyard_app, switchyard_vault
  using (workspace_id = current_workspace());
create policy deliver_anywhere on placements for select to switchyard_delivery using (true);
create policy find_anywhere on placements for select to switchyard_due using (true);
-- Only the owner of the tables moves workspaces.
grant select on placements to switchyard_app, switchyard_vault, switchyard_delivery;
grant select (workspace_id, is_open) on placements to switchyard_due;

-- The lock that every transaction with writes in the workspace shares until it ends. Who moves the workspace takes it
-- exclusively.
create function workspace_lock(workspace uuid) returns bigint
language sql immutable parallel safe
return uuid_hash_extended(workspace, 1);

-- Begins a transaction in a workspace: row-level security compares `app.workspace`. Nothing else sets it.
create function enter_workspace(workspace uuid, writes boolean) returns void
language plpgsql as $$
declare
  is_locked boolean := true;
  place record;
begin
  perform set_config('app.workspace', workspace::text, true);
  if writes then
    is_locked := pg_try_advisory_xact_lock_shared(workspace_lock(workspace));
  end if;
  -- A statement after the lock, so that it sees what the previous holder of the lock committed.
  select moved_to, is_open into place from placements where workspace_id = workspace;
  if place.is_open then
    raise exception 'workspace % has moved', workspace using errcode = 'SWM01', detail = place.moved_to;
  end if;
  if writes and (place.moved_to is not null or not is_locked) then
    raise exception 'workspace % is being moved', workspace using errcode = 'SWM02';
  end if;
end
$$;

-- Whether the workspace can be changed here. If so, it stays here until the transaction ends. For statements that change
-- rows of many workspaces.
create function can_change_workspace(workspace uuid) returns boolean
language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock_shared(workspace_lock(workspace)) then
    return false;
  end if;
  return not exists (select from placements where workspace_id = workspace);
end
$$;

-- Statistics of an empty table: the planner then scans it without reading a page, for each transaction in a workspace.
analyze placements;
