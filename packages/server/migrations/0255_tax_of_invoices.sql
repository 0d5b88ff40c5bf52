-- The part of the tax that the amounts of the lines include. Credit invoices have negative tax.
alter table invoices
  add column tax_included int8 not null default 0,
  drop constraint invoices_tax_total_check,
  drop constraint total_adds_up,
  add constraint total_with_tax_adds_up
    check (total = subtotal - discount_total + tax_total - tax_included) not valid;
