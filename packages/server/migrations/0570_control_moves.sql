-- Workspaces that are being moved from one shard to another. A row exists from the beginning of a move until the rows on the
-- shard that the workspace has left are deleted.
create table control.moves (
  workspace_id   uuid primary key,
  source         text not null check (source ~ '^[a-z][a-z0-9_]{0,31}$'),
  target         text not null check (target ~ '^[a-z][a-z0-9_]{0,31}$' and target <> source),
  -- The shard that serves the workspace. Setting it to the other one is the commit point of a cut-over.
  active         text not null check (active in (source, target)),
  state          text not null default 'copying'
    check (state in ('copying', 'linking', 'comparing', 'fencing', 'flipped', 'watching', 'cleaning')),
  -- Incremented by every cut-over that begins, so that one whose fence was lifted cannot commit.
  attempt        int not null default 0,
  -- How many cut-overs were committed.
  flips          int not null default 0,
  -- Written by the last cut-over that was committed. See workspace_moves.
  marker         uuid,
  -- The comparison covers what was not changed since then, except in the small tables, which are compared when fenced.
  compared_until timestamptz,
  small_tables   text[] not null default '{}',
  -- How long writes waited during the last cut-over.
  pause_ms       int,
  started_at     timestamptz not null default now(),
  changed_at     timestamptz not null default now()
);
grant select on control.moves to switchyard_control;
