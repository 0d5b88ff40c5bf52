-- Prices for usage: the quantity of a period is what its meter has counted. Periods are at most a month, because the
-- events of the first and the last hour of a period must still be stored when it is billed and corrected.
alter table prices
  add column meter_id uuid,
  add constraint metered_prices_are_short check (meter_id is null or
    (type = 'recurring' and interval_count <= case "interval" when 'day' then 31 when 'week' then 4 when 'month' then 1 else 0 end))
    not valid;

create or replace function price_is_kept() returns trigger
language plpgsql as $$
begin
  if (new.product_id, new.currency, new.type, new.scheme, new.unit_amount_decimal, new.pricing, new."interval",
      new.interval_count, new.meter_id)
    is distinct from
    (old.product_id, old.currency, old.type, old.scheme, old.unit_amount_decimal, old.pricing, old."interval",
      old.interval_count, old.meter_id)
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
