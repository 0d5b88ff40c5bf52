-- Workspaces own everything else. Their id is the first column of every key from here on: it is what
-- row-level security compares, and tomorrow what finds the shard.

-- The workspace of the transaction; null if none was set, and then no row is visible.
create function current_workspace() returns uuid
language sql stable parallel safe
return nullif(current_setting('app.workspace', true), '')::uuid;

-- The smallest id of that millisecond: a bound in ranges of ids, which are ordered by time.
create function uuid_floor(at timestamptz) returns uuid
language sql stable parallel safe
return (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

create table workspaces (
  workspace_id    uuid primary key,
  organization_id uuid not null,
  name            text not null check (name <> ''),
  mode            text not null check (mode in ('live', 'test')),
  api_version     text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  version         int not null default 1
);

alter table workspaces enable row level security;
alter table workspaces force row level security;
create policy own_workspace on workspaces to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on workspaces to switchyard_app;
-- Work is found across workspaces, and its ids carry the mode.
create policy mode_anywhere on workspaces for select to switchyard_due using (true);
grant select (workspace_id, mode) on workspaces to switchyard_due;
