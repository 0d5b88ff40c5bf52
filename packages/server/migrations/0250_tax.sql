-- Tax rates and the rules that select them. With `tax = 'none'` invoices have no tax.
create table tax_rates (
  workspace_id     uuid not null,
  id               uuid not null,
  name             text not null check (length(name) between 1 and 200),
  -- A decimal such as 19 or 8.875.
  percentage       text not null check (percentage ~ '^(100|[0-9]{1,2}(\.[0-9]{0,3}[1-9])?)$'),
  country          text check (country ~ '^[A-Z]{2}$'),
  -- EN 16931: S standard, Z zero, E exempt, AE reverse charge, K intra-community, G export, O not subject to tax.
  category         text not null check (category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O')),
  exemption_reason text check (length(exemption_reason) between 1 and 500),
  active           boolean not null default true,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  version          int not null default 1,
  primary key (workspace_id, id),
  constraint only_standard_has_a_percentage check ((category = 'S') = (percentage <> '0'))
);

-- Invoices refer to the rate, so what it means never changes: only its name, and whether new rules can use it.
create function tax_rate_is_kept() returns trigger
language plpgsql as $$
begin
  if (new.percentage, new.country, new.category, new.exemption_reason)
    is distinct from (old.percentage, old.country, old.category, old.exemption_reason)
  then
    raise exception 'tax rate %: its percentage, country and category never change; create another rate', old.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger tax_rates_are_kept before update on tax_rates for each row execute function tax_rate_is_kept();

-- The first rule that matches decides, in the order of the positions. Null matches everything.
create table tax_rules (
  workspace_id  uuid not null,
  id            uuid not null,
  position      int not null check (position > 0),
  country       text check (country ~ '^[A-Z]{2}$'),
  customer_type text check (customer_type in ('business', 'consumer')),
  tax_code      text check (length(tax_code) between 1 and 100),
  tax_rate_id   uuid not null,
  created_at    timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, tax_rate_id) references tax_rates (workspace_id, id),
  -- Deferred, because inserting a rule moves the rules after it.
  constraint one_rule_per_position unique (workspace_id, position) deferrable initially deferred
);

do $$
declare
  name text;
begin
  foreach name in array array['tax_rates', 'tax_rules'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on tax_rates to switchyard_app;
grant select, insert, update, delete on tax_rules to switchyard_app;
