-- Sessions of the customer portal, and what customers may do there. A session is opened with a secret, of which only the
-- hash is stored. Expired sessions of a workspace are deleted when it creates another one.
create table portal_sessions (
  workspace_id uuid not null,
  id           uuid not null,
  customer_id  uuid not null,
  secret_hash  bytea not null check (length(secret_hash) = 32),
  return_url   text check (length(return_url) <= 2048),
  created_at   timestamptz not null,
  expires_at   timestamptz not null check (expires_at > created_at),
  primary key (workspace_id, id)
);
create index portal_sessions_by_expiry on portal_sessions (workspace_id, expires_at);

create table portal_configurations (
  workspace_id    uuid primary key,
  payment_methods boolean not null,
  invoices        boolean not null,
  address         boolean not null,
  cancel          boolean not null,
  pause           boolean not null,
  -- The prices that customers may switch to.
  switch_prices   uuid[] not null check (cardinality(switch_prices) <= 50),
  updated_at      timestamptz not null
);

do $$
declare
  name text;
begin
  foreach name in array array['portal_sessions', 'portal_configurations'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, delete on portal_sessions to switchyard_app;
grant select, insert, update on portal_configurations to switchyard_app;
