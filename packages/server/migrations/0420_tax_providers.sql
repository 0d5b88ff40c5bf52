-- The account of a workspace at a service that computes and records tax. Secrets are encrypted.
create table tax_providers (
  workspace_id uuid primary key,
  provider     text not null check (provider in ('stripe_tax', 'avatax')),
  -- Whether the simulator takes the place of the provider.
  emulated     boolean not null default false,
  config       jsonb not null,
  -- The names of the secrets, and their values as encrypted JSON.
  secrets      text[] not null,
  sealed       bytea not null,
  updated_at   timestamptz not null,
  version      int not null default 1
);
alter table tax_providers enable row level security;
alter table tax_providers force row level security;
create policy own_workspace on tax_providers to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update, delete on tax_providers to switchyard_app;

alter table sellers drop constraint sellers_tax_check;
alter table sellers add constraint sellers_tax_check check (tax in ('none', 'rates', 'provider')) not valid;
