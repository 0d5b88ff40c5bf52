-- The discounts of a line, and their sum. Null: none. Credit lines take back discounts, so theirs are negative.
alter table invoice_lines
  add column discounts jsonb,
  add column discount int8,
  add constraint discount_within_amount check (
    discount is null or (discount between 0 and amount) or (amount < 0 and discount between amount and 0)) not valid,
  add constraint discounts_have_a_sum check ((discounts is null) = (discount is null)) not valid;

-- The amounts of an invoice are the sums of its lines. Lines without a tax rate have no net amount.
create or replace function lines_add_up() returns trigger
language plpgsql as $$
declare
  sums record;
begin
  select coalesce(sum(amount), 0) as amount, coalesce(sum(discount), 0) as discount,
    coalesce(sum(coalesce(net, amount - coalesce(discount, 0))), 0) as net, coalesce(sum(tax), 0) as tax,
    coalesce(sum(tax) filter (where tax_inclusive), 0) as included
  into sums from invoice_lines
  where workspace_id = new.workspace_id and invoice_id = new.id;
  if (new.subtotal, new.discount_total, new.total - new.tax_total, new.tax_total, new.tax_included)
    is distinct from (sums.amount, sums.discount, sums.net, sums.tax, sums.included) then
    raise exception 'invoice %: its lines do not add up to its total', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
