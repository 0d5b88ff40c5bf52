-- Prices with tiers, in packages, and with a minimum and a maximum. Prices per unit without limits have no pricing, so
-- existing rows stay as they are.
alter table prices
  add column pricing jsonb,
  alter column unit_amount_decimal drop not null,
  drop constraint prices_scheme_check,
  add constraint prices_scheme_check check (scheme in ('per_unit', 'graduated', 'volume', 'package')) not valid,
  add constraint prices_have_a_unit_amount_or_tiers
    check ((scheme in ('graduated', 'volume')) = (unit_amount_decimal is null)) not valid,
  add constraint pricing_fits_the_scheme check (case when pricing is null then scheme = 'per_unit' else
    pricing ->> 'scheme' = scheme
    and (jsonb_typeof(pricing -> 'tiers') = 'array') = (scheme in ('graduated', 'volume'))
    and (jsonb_typeof(pricing -> 'package') = 'object') = (scheme = 'package') end) not valid,
  add constraint pricing_limits_have_an_order check (pricing is null or
    coalesce((pricing ->> 'minimum_amount')::numeric <= (pricing ->> 'maximum_amount')::numeric, true)) not valid;

create or replace function price_is_kept() returns trigger
language plpgsql as $$
begin
  if (new.product_id, new.currency, new.type, new.scheme, new.unit_amount_decimal, new.pricing, new."interval",
      new.interval_count)
    is distinct from
    (old.product_id, old.currency, old.type, old.scheme, old.unit_amount_decimal, old.pricing, old."interval",
      old.interval_count)
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
