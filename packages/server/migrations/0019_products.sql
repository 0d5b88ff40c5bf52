-- What is sold, and what it costs.

create table products (
  workspace_id     uuid not null,
  id               uuid not null,
  name             text not null check (name <> ''),
  description      text,
  active           boolean not null,
  unit_label       text,
  features         text[] not null default '{}' check (cardinality(features) <= 20),
  default_price_id uuid,
  metadata         jsonb not null default '{}',
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  deleted_at       timestamptz,
  version          int not null default 1,
  sequence         int not null default 1,
  primary key (workspace_id, id)
);
create index products_present on products (workspace_id, id) where deleted_at is null;
create index products_by_active on products (workspace_id, active, id) where deleted_at is null;

create table prices (
  workspace_id        uuid not null,
  id                  uuid not null,
  product_id          uuid not null,
  active              boolean not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  type                text not null check (type in ('recurring', 'one_time')),
  scheme              text not null check (scheme in ('per_unit')),
  -- Minor units. A price may be a part of one: 0.4 cents for a message.
  unit_amount_decimal numeric not null
    check (unit_amount_decimal between 0 and 999999999999 and scale(unit_amount_decimal) <= 12),
  "interval"          text check ("interval" in ('day', 'week', 'month', 'year')),
  interval_count      int,
  lookup_key          text,
  nickname            text,
  metadata            jsonb not null default '{}',
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  deleted_at          timestamptz,
  version             int not null default 1,
  sequence            int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, product_id) references products (workspace_id, id),
  constraint recurring_has_an_interval
    check ((type = 'recurring') = ("interval" is not null) and ("interval" is null) = (interval_count is null)),
  -- At most three years.
  constraint interval_has_an_end check (interval_count is null or interval_count between 1 and
    case "interval" when 'day' then 1095 when 'week' then 156 when 'month' then 36 else 3 end)
);
create index prices_present on prices (workspace_id, id) where deleted_at is null;
create index prices_of_product on prices (workspace_id, product_id, id) where deleted_at is null;
create unique index prices_by_lookup_key on prices (workspace_id, lookup_key)
  where lookup_key is not null and deleted_at is null;

-- What somebody was billed by must be readable for ever: invoices are recomputed from it.
create function price_is_kept() returns trigger
language plpgsql as $$
begin
  if (new.product_id, new.currency, new.type, new.scheme, new.unit_amount_decimal, new."interval", new.interval_count)
    is distinct from
    (old.product_id, old.currency, old.type, old.scheme, old.unit_amount_decimal, old."interval", old.interval_count)
  then
    raise exception 'price %: its money and its interval never change; make another price', old.id
      using errcode = 'integrity_constraint_violation';
  end if;
  if new.deleted_at is not null and exists (
    select from price_uses where workspace_id = new.workspace_id and price_id = new.id
  ) then
    raise exception 'price %: it was used and stays', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger prices_are_kept before update on prices for each row execute function price_is_kept();

-- Prices that somebody was billed by, or is to be. A row of its own for each, so that using one locks nobody out.
create table price_uses (
  workspace_id uuid not null,
  price_id     uuid not null,
  created_at   timestamptz not null,
  primary key (workspace_id, price_id),
  foreign key (workspace_id, price_id) references prices (workspace_id, id)
);

do $$
declare
  name text;
begin
  foreach name in array array['products', 'prices'] loop
    execute format('create constraint trigger %I after insert or update on %I
      deferrable initially deferred for each row execute function change_is_told()',
      name || '_change_is_told', name);
  end loop;
  foreach name in array array['products', 'prices', 'price_uses'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on products, prices to switchyard_app;
grant select, insert on price_uses to switchyard_app;
