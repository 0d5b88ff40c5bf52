-- Coupons, the codes by which customers redeem them, and redemptions.
create table coupons (
  workspace_id     uuid not null,
  id               uuid not null,
  name             text not null check (length(name) between 1 and 250),
  active           boolean not null default true,
  percent_off      numeric(7, 4) check (percent_off > 0 and percent_off <= 100),
  amount_off       int8 check (amount_off between 1 and 999999999999),
  currency         text check (currency ~ '^[a-z]{3}$'),
  duration         text not null check (duration in ('once', 'periods', 'forever')),
  duration_periods int check (duration_periods between 1 and 1200),
  -- Null: all products.
  product_ids      uuid[] check (cardinality(product_ids) between 1 and 50),
  -- Null: no limit.
  max_redemptions  int check (max_redemptions > 0),
  redeem_by        timestamptz,
  -- Redemptions of checkouts that have not ended, and those that are final.
  reserved         int not null default 0 check (reserved >= 0),
  used             int not null default 0 check (used >= 0),
  metadata         jsonb not null default '{}',
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  version          int not null default 1,
  sequence         int not null default 1,
  primary key (workspace_id, id),
  constraint percentage_or_amount check (num_nonnulls(percent_off, amount_off) = 1),
  constraint amount_has_currency check ((amount_off is null) = (currency is null)),
  constraint periods_of_duration check ((duration = 'periods') = (duration_periods is not null)),
  constraint no_more_than_max_redemptions check (reserved + used <= max_redemptions)
);
-- Counting a redemption is no change of the coupon.
create constraint trigger coupons_change_is_told after insert or update on coupons
  deferrable initially deferred for each row execute function change_is_told_but_for('reserved', 'used');

create table promotion_codes (
  workspace_id    uuid not null,
  id              uuid not null,
  coupon_id       uuid not null,
  code            text not null check (code ~ '^[A-Z0-9_-]{1,50}$'),
  active          boolean not null default true,
  first_purchase  boolean not null default false,
  minimum_amount  int8 check (minimum_amount between 1 and 999999999999),
  currency        text check (currency ~ '^[a-z]{3}$'),
  -- The only customer who can redeem the code. Null: all customers.
  customer_id     uuid,
  max_redemptions int check (max_redemptions > 0),
  expires_at      timestamptz,
  reserved        int not null default 0 check (reserved >= 0),
  used            int not null default 0 check (used >= 0),
  metadata        jsonb not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  version         int not null default 1,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, coupon_id) references coupons (workspace_id, id),
  constraint minimum_has_currency check ((minimum_amount is null) = (currency is null)),
  constraint no_more_than_max_redemptions check (reserved + used <= max_redemptions)
);
create unique index promotion_codes_by_code on promotion_codes (workspace_id, code) where active;
create index promotion_codes_of_coupon on promotion_codes (workspace_id, coupon_id, id);
create constraint trigger promotion_codes_change_is_told after insert or update on promotion_codes
  deferrable initially deferred for each row execute function change_is_told_but_for('reserved', 'used');

-- Each time a coupon was attached, with or without a code. The counters of coupons and codes are sums over these rows.
create table redemptions (
  workspace_id        uuid not null,
  id                  uuid not null,
  coupon_id           uuid not null,
  promotion_code_id   uuid,
  status              text not null check (status in ('reserved', 'used', 'released')),
  customer_id         uuid,
  subscription_id     uuid,
  checkout_session_id uuid,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, coupon_id) references coupons (workspace_id, id),
  constraint only_sessions_reserve check (status = 'used' or checkout_session_id is not null)
);
-- A session reserves each coupon at most once.
create unique index redemptions_of_session on redemptions (workspace_id, checkout_session_id, coupon_id)
  where checkout_session_id is not null and status <> 'released';

do $$
declare
  name text;
begin
  foreach name in array array['coupons', 'promotion_codes', 'redemptions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on coupons, promotion_codes, redemptions to switchyard_app;
