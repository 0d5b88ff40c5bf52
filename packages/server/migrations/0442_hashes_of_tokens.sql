-- The hashes of the secrets of API tokens. The workspace decides, and the directory in the control plane, which finds the
-- workspace of a secret, has a copy.
create table api_token_hashes (
  workspace_id uuid not null,
  hash         bytea not null check (octet_length(hash) = 32),
  api_token_id uuid not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  primary key (workspace_id, hash)
);
create index api_token_hashes_of_token on api_token_hashes (workspace_id, api_token_id);

-- Tokens that older processes create while they are replaced are copied when they are rolled.
insert into api_token_hashes (workspace_id, hash, api_token_id, created_at, expires_at)
  select workspace_id, hash, api_token_id, created_at, expires_at from control.api_token_secrets;

alter table api_token_hashes enable row level security;
alter table api_token_hashes force row level security;
create policy own_workspace on api_token_hashes to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update, delete on api_token_hashes to switchyard_app;
