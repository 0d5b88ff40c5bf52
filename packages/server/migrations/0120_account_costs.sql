-- The fees of an account as the operator entered them, in the format of the API. The default is constant, so existing rows
-- are not rewritten.
alter table provider_accounts add column costs jsonb not null default '[]';
