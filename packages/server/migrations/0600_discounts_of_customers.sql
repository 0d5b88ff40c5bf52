-- The discounts of customers, which reduce the periods of all their subscriptions. Each is a copy of the terms of its coupon.
create table customer_discounts (
  workspace_id      uuid not null,
  id                uuid not null,
  customer_id       uuid not null,
  coupon_id         uuid not null,
  promotion_code_id uuid,
  -- The order in which they apply.
  position          int not null check (position >= 0),
  name              text not null,
  percent_off       text,
  amount_off        int8 check (amount_off > 0),
  currency          text check (currency ~ '^[a-z]{3}$'),
  product_ids       uuid[],
  duration          text not null check (duration in ('once', 'periods', 'forever')),
  -- How many periods it reduces, and how many it has reduced. Null: no limit.
  periods           int check (periods > 0),
  used_periods      int not null default 0 check (used_periods >= 0),
  removed_at        timestamptz,
  created_at        timestamptz not null,
  sequence          int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, coupon_id) references coupons (workspace_id, id),
  constraint percentage_or_amount check (num_nonnulls(percent_off, amount_off) = 1),
  constraint amount_has_currency check ((amount_off is null) = (currency is null)),
  constraint forever_has_no_limit check ((duration = 'forever') = (periods is null)),
  constraint no_more_than_its_periods check (used_periods <= periods)
);
-- A customer has each coupon once.
create unique index discounts_of_customer on customer_discounts (workspace_id, customer_id, coupon_id)
  where removed_at is null;
-- Using a period, and changing the order, is no change of the discount.
create constraint trigger customer_discounts_change_is_told after insert or update on customer_discounts
  deferrable initially deferred for each row execute function change_is_told_but_for('used_periods', 'position');

alter table customer_discounts enable row level security;
alter table customer_discounts force row level security;
create policy own_workspace on customer_discounts to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on customer_discounts to switchyard_app;
