-- Files that merchants upload as evidence for disputes. Their content is sealed with the key of the workspace.
create table files (
  workspace_id uuid not null,
  id           uuid not null,
  purpose      text not null,
  name         text not null check (length(name) between 1 and 255),
  content_type text not null check (content_type in ('application/pdf', 'image/jpeg', 'image/png')),
  size         int not null check (size between 1 and 5242880),
  sha256       bytea not null check (length(sha256) = 32),
  sealed       bytea not null,
  -- Null: not attached to a dispute.
  dispute_id   uuid,
  -- Null while the dispute is open.
  delete_at    timestamptz,
  created_at   timestamptz not null,
  version      int not null default 1,
  primary key (workspace_id, id),
  constraint unattached_is_deleted check (dispute_id is not null or delete_at is not null)
);
-- The content is encrypted, so it cannot be compressed.
alter table files alter column sealed set storage external;
create index files_of_dispute on files (workspace_id, dispute_id) where dispute_id is not null;
create index files_to_delete on files (delete_at) where delete_at is not null;

alter table files enable row level security;
alter table files force row level security;
create policy own_workspace on files to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on files for select to switchyard_due using (true);
grant select, insert, update, delete on files to switchyard_app;
grant select (workspace_id, id, delete_at) on files to switchyard_due;

alter table disputes add column file_ids uuid[] not null default '{}' check (cardinality(file_ids) <= 10);
