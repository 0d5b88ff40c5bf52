-- The tax of each line, with a copy of its rate. Lines without a tax rate have neither net nor tax.
alter table invoice_lines
  add column net int8,
  add column tax int8,
  add column tax_rate_id uuid,
  add column tax_percentage text,
  add column tax_category text,
  add column tax_inclusive boolean,
  add column tax_note text,
  add constraint rate_is_whole check ((tax_percentage is null) = (tax_category is null)
    and (tax_percentage is null) = (tax_inclusive is null)
    and (tax_percentage is not null or tax_rate_id is null and tax is null)) not valid,
  add constraint net_and_tax_together check ((net is null) = (tax is null)) not valid;

-- The amounts of an invoice are the sums of its lines.
create or replace function lines_add_up() returns trigger
language plpgsql as $$
declare
  sums record;
begin
  select coalesce(sum(amount), 0) as amount, coalesce(sum(coalesce(net, amount)), 0) as net,
    coalesce(sum(tax), 0) as tax, coalesce(sum(tax) filter (where tax_inclusive), 0) as included
  into sums from invoice_lines
  where workspace_id = new.workspace_id and invoice_id = new.id;
  if (new.subtotal, new.total - new.tax_total, new.tax_total, new.tax_included)
    is distinct from (sums.amount, sums.net, sums.tax, sums.included) then
    raise exception 'invoice %: its lines do not add up to its total', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
