-- What payment routes learn of their accounts, for actions that follow it.

-- One row for each route that has asked for it. The id is that of the route.
create table payment_route_learning (
  workspace_id    uuid not null,
  id              uuid not null,
  -- Every payment up to this one is counted, and none behind it.
  counted_to      uuid not null,
  -- Goes up whenever figures change. Decisions name it.
  snapshot_number int not null default 0 check (snapshot_number >= 0),
  snapshot        json not null default '{}',
  taken_at        timestamptz,
  -- Null while what is published does not ask for it.
  due_at          timestamptz,
  primary key (workspace_id, id)
);
create index payment_route_learning_due on payment_route_learning (due_at) where due_at is not null;

-- First attempts by quarters of a day. They are added in the unit that moves `counted_to` on, so each counts once.
create table payment_route_figures (
  workspace_id        uuid not null,
  payment_route_id    uuid not null,
  -- The name of the rule; empty: the default.
  rule                text not null,
  currency            text not null,
  card_brand          text not null,
  -- Empty: not known.
  card_country        text not null,
  at                  timestamptz not null,
  provider_account_id uuid not null,
  attempts            int not null check (attempts >= 0),
  approved            int not null check (approved >= 0),
  primary key (workspace_id, payment_route_id, rule, currency, card_brand, card_country, at, provider_account_id),
  constraint approves_what_was_attempted check (approved <= attempts)
);

-- Processes remember figures with the routes, and learn in the same way that there are new ones.
create trigger payment_route_learning_changes_routing after update on payment_route_learning
  for each row when (new.snapshot_number is distinct from old.snapshot_number)
  execute function routing_changes();

do $$
declare
  name text;
begin
  foreach name in array array['payment_route_learning', 'payment_route_figures'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on payment_route_learning to switchyard_app;
-- What no window reaches any more is deleted: it is a few rows a day.
grant select, insert, update, delete on payment_route_figures to switchyard_app;
create policy due_anywhere on payment_route_learning for select to switchyard_due using (true);
grant select (workspace_id, id, due_at) on payment_route_learning to switchyard_due;
