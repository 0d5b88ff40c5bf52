-- Subscriptions, what they bill, and the time that is accounted for.

-- Equality beside ranges in one constraint. It is trusted: the owner of the database may add it.
create extension if not exists btree_gist;

create table subscriptions (
  workspace_id            uuid not null,
  id                      uuid not null,
  status                  text not null check (status in ('trialing', 'active', 'paused', 'cancelled')),
  customer_id             uuid not null,
  payment_method_id       uuid,
  payment_route_id        uuid,
  dunning_policy_id       uuid,
  currency                text not null check (currency ~ '^[a-z]{3}$'),
  "interval"              text not null check ("interval" in ('day', 'week', 'month', 'year')),
  interval_count          int not null check (interval_count > 0),
  description             text,
  metadata                jsonb not null default '{}',
  activation_policy       text not null check (activation_policy in ('on_payment', 'on_attempt')),
  -- How its periods shall lie: {day_of_month, time_zone, stub}. It becomes an anchor when the first one begins.
  anchor_wish             jsonb not null,
  -- {date, day, time, time_zone, epoch}
  anchor                  jsonb,
  period_epoch            int,
  period_index            int,
  period_start_at         timestamptz,
  period_end_at           timestamptz,
  period_nominal_start_at timestamptz,
  period_invoice_id       uuid,
  trial                   jsonb,
  activation              jsonb,
  pause                   jsonb,
  scheduled_change        jsonb,
  cancellation            jsonb,
  -- As it was told last. The truth is in the invoices.
  collection_status       text not null default 'current' check (collection_status in ('current', 'past_due', 'unpaid')),
  -- What a campaign said last: {hasGivenUp, graceUntilAt, finalAction, finalActionAt}.
  dunning                 jsonb,
  latest_invoice_id       uuid,
  parked                  jsonb,
  -- Somebody has looked: what was overdue then is meant.
  unparked_at             timestamptz,
  accounted_at            timestamptz not null,
  trial_notices           int not null default 0,
  started_at              timestamptz not null,
  cancelled_at            timestamptz,
  ended_at                timestamptz,
  -- The least of all that it does by itself. One column, so nothing can go stale beside it.
  next_action_at          timestamptz,
  test_clock_id           uuid,
  created_at              timestamptz not null,
  updated_at              timestamptz not null,
  version                 int not null default 1,
  sequence                int not null default 1,
  primary key (workspace_id, id),
  -- What its items are held to.
  unique (workspace_id, id, currency, "interval", interval_count),
  constraint paused_has_a_pause check ((status = 'paused') = (pause is not null)),
  constraint cancelled_has_an_end check ((status = 'cancelled') = (ended_at is not null)),
  constraint cancelled_has_a_reason check ((status = 'cancelled') = (cancellation is not null)),
  constraint cancelled_does_nothing check (status <> 'cancelled' or (next_action_at is null and scheduled_change is null)),
  constraint parked_does_nothing check (parked is null or next_action_at is null),
  constraint active_has_a_period check (status <> 'active' or (period_end_at is not null and anchor is not null)),
  constraint period_is_whole check ((period_index is null) = (period_epoch is null)
    and (period_index is null) = (period_start_at is null) and (period_index is null) = (period_end_at is null)
    and (period_index is null) = (period_nominal_start_at is null) and (period_index is null) = (period_invoice_id is null)),
  constraint period_has_a_length check (period_nominal_start_at < period_end_at)
);
create index subscriptions_of_customer on subscriptions (workspace_id, customer_id, id);
create index subscriptions_by_status on subscriptions (workspace_id, status, id);
create index subscriptions_not_current on subscriptions (workspace_id, collection_status, id)
  where collection_status <> 'current';
create index subscriptions_due on subscriptions (next_action_at)
  where next_action_at is not null and test_clock_id is null;
create index subscriptions_due_on_clock on subscriptions (test_clock_id, next_action_at)
  where test_clock_id is not null;

create constraint trigger subscriptions_change_is_told after insert or update on subscriptions
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'next_action_at');

alter table prices add constraint prices_on_one_clock unique (workspace_id, id, currency, "interval", interval_count);

-- All items of a subscription have its currency and its interval, and so have their prices.
create table subscription_items (
  workspace_id    uuid not null,
  subscription_id uuid not null,
  id              uuid not null,
  position        int not null,
  price_id        uuid not null,
  product_id      uuid not null,
  currency        text not null,
  "interval"      text not null,
  interval_count  int not null,
  quantity        int not null check (quantity between 0 and 1000000),
  metadata        jsonb not null default '{}',
  primary key (workspace_id, subscription_id, id),
  foreign key (workspace_id, subscription_id, currency, "interval", interval_count)
    references subscriptions (workspace_id, id, currency, "interval", interval_count) deferrable initially deferred,
  foreign key (workspace_id, price_id, currency, "interval", interval_count)
    references prices (workspace_id, id, currency, "interval", interval_count) deferrable initially deferred
);
create index subscription_items_of_price on subscription_items (workspace_id, price_id, subscription_id);

-- Each instant of a subscription lies in exactly one of these: in a trial, in a period that an invoice bills, or in
-- a pause. A second planner, or a bound that is wrong, cannot be stored. It is cut by workspace and not by time,
-- because the rule has to hold across all of a subscription's time.
create table billing_spans (
  workspace_id    uuid not null,
  subscription_id uuid not null,
  during          tstzrange not null,
  kind            text not null check (kind in ('trial', 'cycle', 'paused')),
  invoice_id      uuid,
  primary key (workspace_id, subscription_id, during without overlaps),
  constraint span_is_half_open check (lower_inc(during) and not upper_inc(during) and not lower_inf(during)),
  constraint cycle_has_an_invoice check ((kind = 'cycle') = (invoice_id is not null))
) partition by hash (workspace_id);

do $$
declare
  name text;
begin
  for part in 0..7 loop
    execute format('create table billing_spans_%s partition of billing_spans
      for values with (modulus 8, remainder %s)', part, part);
  end loop;
  foreach name in array array['subscriptions', 'subscription_items', 'billing_spans'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on subscriptions for select to switchyard_due using (true);
grant select, insert, update on subscriptions to switchyard_app;
grant select, insert, update, delete on subscription_items, billing_spans to switchyard_app;
grant select (workspace_id, id, next_action_at, test_clock_id) on subscriptions to switchyard_due;
