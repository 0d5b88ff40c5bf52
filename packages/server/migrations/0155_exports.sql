-- Exports: files of the objects of a period. Background work reads the objects in pages and stores the file in parts,
-- each together with the position that it has reached.

create table exports (
  workspace_id uuid not null,
  id           uuid not null,
  -- What is exported: the name of a source.
  source       text not null,
  format       text not null,
  -- The first and the last day, in UTC.
  from_on      text not null check (from_on ~ '^\d{4}-\d{2}-\d{2}$'),
  to_on        text not null check (to_on ~ '^\d{4}-\d{2}-\d{2}$'),
  status       text not null check (status in ('running', 'completed', 'failed', 'cancelled')),
  failure      text,
  -- How many objects have to be read; null until they are counted.
  total        int check (total >= 0),
  done         int not null default 0 check (done >= 0),
  -- The id of the last object that is in the parts.
  cursor       uuid,
  parts        int not null default 0 check (parts >= 0),
  row_count    int not null default 0 check (row_count >= 0),
  bytes        int8 not null default 0 check (bytes >= 0),
  -- The sum of each amount column and currency.
  sums         json not null,
  -- Of the whole file, in hexadecimal.
  sha256       text check (sha256 ~ '^[0-9a-f]{64}$'),
  -- The end of the lease of the worker.
  due_at       timestamptz,
  -- When the parts are deleted; null if there are none.
  delete_at    timestamptz,
  expires_at   timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  completed_at timestamptz,
  version      int not null default 1,
  sequence     int not null default 1,
  primary key (workspace_id, id),
  constraint begins_before_it_ends check (from_on <= to_on),
  constraint runs_or_is_over check ((status = 'running') = (due_at is not null)
    and (status = 'running') = (completed_at is null)),
  constraint completed_has_a_hash check ((status = 'completed') = (sha256 is not null)
    and (status = 'completed') = (expires_at is not null)),
  constraint failed_has_a_reason check ((status = 'failed') = (failure is not null))
);
create index exports_due on exports (due_at) where due_at is not null;
create index exports_to_delete on exports (delete_at) where delete_at is not null;
-- The exports that occupy storage.
create index exports_stored on exports (workspace_id) where due_at is not null or delete_at is not null;

create constraint trigger exports_start_is_told after insert on exports
  deferrable initially deferred for each row execute function change_is_told();
-- Progress can be read, but emits no events.
create constraint trigger exports_end_is_told after update on exports
  deferrable initially deferred for each row
  when (new.status is distinct from old.status or new.sequence is distinct from old.sequence)
  execute function change_is_told();

create table export_parts (
  workspace_id uuid not null,
  export_id    uuid not null,
  number       int not null check (number >= 0),
  content      bytea not null,
  -- What the end of the file has to say about this part, in formats that have a directory.
  directory    text,
  primary key (workspace_id, export_id, number),
  foreign key (workspace_id, export_id) references exports
);

do $$
declare
  name text;
begin
  foreach name in array array['exports', 'export_parts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on exports for select to switchyard_due using (true);
grant select, insert, update on exports to switchyard_app;
grant select, insert, delete on export_parts to switchyard_app;
grant select (workspace_id, id, due_at, delete_at) on exports to switchyard_due;
