create table customers (
  workspace_id uuid not null,
  id           uuid not null,
  name         text,
  email        text,
  -- Searched by. Under row-level security an index on lower(email) itself is never used: the function might
  -- tell a stranger what it saw, so the policy has to be asked first, for every row of the workspace.
  email_key    text generated always as (lower(email)) stored,
  phone        text,
  description  text,
  locale       text,
  address      jsonb,
  tax_ids      jsonb not null default '[]',
  metadata     jsonb not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- The row of a deleted customer stays, without personal data: payments will point to it.
  deleted_at   timestamptz,
  version      int not null default 1,
  sequence     int not null default 1,
  primary key (workspace_id, id),
  constraint deleted_is_empty check (
    deleted_at is null
    or (name is null and email is null and phone is null and description is null and locale is null
      and address is null and tax_ids = '[]' and metadata = '{}')
  )
);
create index customers_present on customers (workspace_id, id) where deleted_at is null;
create index customers_by_email on customers (workspace_id, email_key, id) where deleted_at is null;

create constraint trigger customers_change_is_told after insert or update on customers
  deferrable initially deferred for each row execute function change_is_told();

alter table customers enable row level security;
alter table customers force row level security;
create policy own_workspace on customers to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on customers to switchyard_app;
