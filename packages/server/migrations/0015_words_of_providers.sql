-- What payers and providers tell us by themselves.

-- A provider names its account and nothing else.
create index provider_accounts_by_id on provider_accounts (id);

-- And may name an operation as it calls it.
create index operations_by_provider_reference on operations (workspace_id, provider_reference)
  where provider_reference is not null;

-- A payer was asked to act for it. From then on no other account is tried, and it is never sent a second time.
alter table operations add column challenged boolean not null default false;
