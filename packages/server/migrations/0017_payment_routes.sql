-- Payment routes: which account of a provider a payment is sent to. What a route says lies in revisions.

create table payment_routes (
  workspace_id    uuid not null,
  id              uuid not null,
  status          text not null check (status in ('active', 'archived')),
  is_default      boolean not null default false,
  -- The one that is published; null before the first.
  revision        int check (revision >= 1),
  latest_revision int not null check (latest_revision >= 1),
  metadata        jsonb not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  version         int not null default 1,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  constraint publishes_what_there_is check (revision <= latest_revision),
  constraint the_default_can_decide check (not is_default
    or (status = 'active' and revision is not null and deleted_at is null)),
  -- Payments may have been made by what was published.
  constraint what_was_published_stays check (deleted_at is null or revision is null)
);
-- A workspace has one default route, or none: then accounts are asked in their order.
create unique index one_default_route on payment_routes (workspace_id) where is_default;
create index payment_routes_live on payment_routes (workspace_id, id) where status = 'active' and deleted_at is null;
create constraint trigger payment_routes_change_is_told after insert or update on payment_routes
  deferrable initially deferred for each row execute function change_is_told();

-- Never changed: a payment keeps to the revision by which it was made.
create table payment_route_revisions (
  workspace_id         uuid not null,
  id                   uuid not null,
  payment_route_id     uuid not null,
  number               int not null check (number >= 1),
  -- As text, so that members keep the order in which people read them.
  definition           json not null,
  -- Every account that it may send a payment to.
  provider_account_ids uuid[] not null,
  -- Of a roll back: the revision that it is a copy of.
  copy_of              int,
  author_id            uuid,
  created_at           timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, payment_route_id, number)
);
create index payment_route_revisions_newest on payment_route_revisions (workspace_id, payment_route_id, id);

-- Who published which revision, and when.
create table payment_route_publications (
  workspace_id     uuid not null,
  payment_route_id uuid not null,
  revision         int not null,
  author_id        uuid,
  published_at     timestamptz not null,
  primary key (workspace_id, payment_route_id, revision)
);

-- Counts what decisions depend on. Processes remember routes and accounts, and ask here whether that still holds.
create table routing_versions (
  workspace_id uuid primary key,
  version      int8 not null
);
create function routing_changes() returns trigger
language plpgsql as $$
begin
  insert into routing_versions as known (workspace_id, version) values (new.workspace_id, 1)
  on conflict (workspace_id) do update set version = known.version + 1;
  return null;
end
$$;
create trigger payment_routes_change_routing after insert or update on payment_routes
  for each row execute function routing_changes();
create trigger provider_accounts_change_routing after insert or update on provider_accounts
  for each row execute function routing_changes();
-- Before this there were accounts without a version: what is remembered of them is asked for by number.
insert into routing_versions (workspace_id, version)
  select distinct workspace_id, 1 from provider_accounts;

-- By which revision a payment was made. Null: by the order of the accounts.
alter table payments
  add column payment_route_id uuid,
  add column route_revision int,
  add constraint a_route_has_a_revision check ((payment_route_id is null) = (route_revision is null));

do $$
declare
  name text;
begin
  foreach name in array array['payment_routes', 'payment_route_revisions', 'payment_route_publications',
    'routing_versions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on routing_versions for select to switchyard_due using (true);
grant select, insert, update on payment_routes, routing_versions to switchyard_app;
grant select, insert on payment_route_revisions, payment_route_publications to switchyard_app;
grant select (workspace_id, version) on routing_versions to switchyard_due;
