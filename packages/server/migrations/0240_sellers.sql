-- The company that issues the invoices of a workspace.
create table sellers (
  workspace_id uuid primary key,
  legal_name   text check (length(legal_name) between 1 and 500),
  address      jsonb,
  registration jsonb,
  tax_ids      jsonb not null default '[]',
  vat_scheme   text not null default 'standard' check (vat_scheme in ('standard', 'cash', 'small_business')),
  bank         jsonb,
  contact      jsonb,
  footer       jsonb not null default '{}',
  time_zone    text not null default 'UTC',
  -- How invoices are numbered: the prefix, and whether the numbers begin with 1 again every year.
  number_prefix text check (number_prefix ~ '^[A-Z0-9]{1,12}$'),
  number_reset text not null default 'never' check (number_reset in ('never', 'yearly')),
  -- Whether live invoices stay drafts while a legal field is missing.
  required     boolean not null default true,
  updated_at   timestamptz not null,
  version      int not null default 1
);

-- Live workspaces that issued invoices before this version continue to, until their seller is complete.
insert into sellers (workspace_id, required, updated_at)
  select workspace_id, false, now() from workspaces
  where mode = 'live' and exists (select from invoice_series where invoice_series.workspace_id = workspaces.workspace_id);

alter table sellers enable row level security;
alter table sellers force row level security;
create policy own_workspace on sellers to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on sellers to switchyard_app;
