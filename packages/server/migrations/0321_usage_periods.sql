-- The periods in which a subscription item bills the usage of a meter. The usage of a customer is billed once: the
-- periods of a meter and a customer cannot overlap, whichever subscription they belong to.
create table usage_periods (
  workspace_id         uuid not null,
  id                   uuid not null,
  subscription_id      uuid not null,
  subscription_item_id uuid not null,
  price_id             uuid not null,
  product_id           uuid not null,
  customer_id          uuid not null,
  meter_id             uuid not null,
  -- Without an end until the subscription leaves the period or the item.
  during               tstzrange not null,
  -- The length of a whole period, by which a minimum and a maximum are prorated.
  period_seconds       int8 not null check (period_seconds > 0),
  -- The discounts of the period, set when it ends.
  discounts            jsonb,
  -- open: usage is counted. ended: waits for late events. closed: billed. settled: nothing can change any more.
  status               text not null check (status in ('open', 'ended', 'closed', 'settled')),
  -- When it is closed, or settled.
  due_at               timestamptz,
  -- The usage that was billed, with corrections, and the number of the last event that it includes.
  billed_quantity      int8 check (billed_quantity between 0 and 1000000000000000),
  billed_seq           int8,
  -- The line that billed the period. Null: nothing was billed.
  invoice_line_id      uuid,
  test_clock_id        uuid,
  created_at           timestamptz not null,
  primary key (workspace_id, customer_id, meter_id, during without overlaps),
  unique (workspace_id, id),
  constraint usage_period_is_half_open check (lower_inc(during) and not upper_inc(during) and not lower_inf(during)),
  constraint open_periods_have_no_end check ((status = 'open') = upper_inf(during)),
  constraint ended_periods_have_discounts check ((status = 'open') = (discounts is null)),
  constraint closed_periods_are_billed check ((status in ('closed', 'settled')) = (billed_quantity is not null)
    and (billed_quantity is null) = (billed_seq is null)),
  constraint ended_periods_are_due check (status <> 'ended' or due_at is not null)
);
create unique index one_open_usage_period on usage_periods (workspace_id, subscription_item_id) where status = 'open';
create index usage_periods_of_subscription on usage_periods (workspace_id, subscription_id, status);
create index usage_periods_due on usage_periods (due_at) where due_at is not null;

alter table usage_periods enable row level security;
alter table usage_periods force row level security;
create policy own_workspace on usage_periods to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on usage_periods for select to switchyard_due using (true);
grant select, insert, update, delete on usage_periods to switchyard_app;
grant select (workspace_id, id, subscription_id, due_at, test_clock_id) on usage_periods to switchyard_due;

-- A period that was billed keeps its time, and never counts events again that it has counted.
create function usage_period_is_kept() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.status <> 'open' then
      raise exception 'usage period %: it has ended and stays', old.id using errcode = 'integrity_constraint_violation';
    end if;
    return old;
  end if;
  if (new.subscription_id, new.subscription_item_id, new.price_id, new.customer_id, new.meter_id, lower(new.during),
      new.period_seconds)
    is distinct from
    (old.subscription_id, old.subscription_item_id, old.price_id, old.customer_id, old.meter_id, lower(old.during),
      old.period_seconds)
    or (old.status <> 'open' and new.during is distinct from old.during)
    or array_position(array['open', 'ended', 'closed', 'settled'], new.status)
      < array_position(array['open', 'ended', 'closed', 'settled'], old.status)
    or (new.billed_seq is not null and new.billed_seq < old.billed_seq)
  then
    raise exception 'usage period %: what was billed stays', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger usage_period_is_kept before update or delete on usage_periods
  for each row execute function usage_period_is_kept();
