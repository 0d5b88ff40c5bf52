-- The names of a connector's credentials, so that the API can show which are set without decrypting them.
alter table provider_accounts add column credential_names text[] not null default '{}';
-- When a credential that authenticates calls was last replaced. Operations from before may belong to another merchant
-- account, so repeating them or not finding them proves nothing.
alter table provider_accounts add column call_credentials_changed_at timestamptz;
