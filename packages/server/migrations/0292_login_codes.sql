-- Codes with which payers prove that they receive the e-mails of a customer, before a payment page shows saved cards. The
-- code is derived from the id with a key, so it is not stored. Addresses are stored as keyed hashes, also those that belong
-- to no customer: a response must not reveal whether an address is known. Rows are deleted an hour after they were created,
-- when the workspace creates another one.
create table login_codes (
  workspace_id uuid not null,
  id           uuid not null,
  -- The payment link or checkout session on whose page the code was requested.
  scope_id     uuid not null,
  -- Null if the address belongs to no customer with a saved card, or is still being looked up.
  customer_id  uuid,
  email_hash   bytea not null check (length(email_hash) = 32),
  -- Null for local addresses.
  network_hash bytea check (length(network_hash) = 32),
  tries        int not null default 0 check (tries between 0 and 5),
  created_at   timestamptz not null,
  expires_at   timestamptz not null check (expires_at > created_at),
  verified_at  timestamptz,
  primary key (workspace_id, id),
  constraint a_verified_code_has_a_customer check (verified_at is null or customer_id is not null)
);
create index login_codes_by_creation on login_codes (workspace_id, created_at);
create index login_codes_by_email on login_codes (workspace_id, email_hash, created_at);
create index login_codes_by_network on login_codes (workspace_id, network_hash, created_at)
  where network_hash is not null;

alter table login_codes enable row level security;
alter table login_codes force row level security;
create policy own_workspace on login_codes to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update, delete on login_codes to switchyard_app;
