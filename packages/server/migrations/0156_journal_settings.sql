-- How the accounts of the ledger are called in the accounting software of a merchant.

create table journal_settings (
  workspace_id uuid primary key,
  -- Numbers and names by account.
  accounts     json not null,
  datev        json,
  xero         json not null,
  updated_at   timestamptz not null,
  version      int not null default 1
);
alter table journal_settings enable row level security;
alter table journal_settings force row level security;
create policy own_workspace on journal_settings to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on journal_settings to switchyard_app;

-- The settings when the export was created, so that a change does not affect a running export. Null for other objects
-- than the journal.
alter table exports add column settings json;
