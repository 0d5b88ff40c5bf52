-- Other cells, which serve other workspaces, with the public addresses of their live API, test API and dashboard.
create table control.cells (
  name          text primary key check (name ~ '^[a-z][a-z0-9_]{0,31}$'),
  live_url      text not null,
  test_url      text not null,
  dashboard_url text not null,
  -- When the directory of the cell was imported last. Null: never.
  imported_at   timestamptz
);

-- The directories of other cells. A key is the UUID of a workspace or of a provider account, or the SHA-256 of a secret of
-- an API token.
create table control.cell_keys (
  key  bytea primary key check (octet_length(key) in (16, 32)),
  cell text not null references control.cells (name) on delete cascade
);
create index cell_keys_of_cell on control.cell_keys (cell);

grant select on control.cells, control.cell_keys to switchyard_control;
