-- Secrets are sealed with a key of their workspace; that key is sealed with the master key, which is never here.
-- Deleting the keys of a workspace makes everything unreadable that was sealed with them.
create table workspace_keys (
  workspace_id  uuid not null,
  number        int not null check (number > 0),
  -- Which master key opens it: during a rotation there are two.
  master_key_id text not null,
  wrapped       bytea not null,
  created_at    timestamptz not null,
  primary key (workspace_id, number)
);

alter table workspace_keys enable row level security;
alter table workspace_keys force row level security;
create policy own_workspace on workspace_keys to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on workspace_keys to switchyard_app;
