-- What credit notes have taken back of an invoice, and the part of it that reduced what was still owed. That part is also in
-- credit_applied, and does not return to the customer if the invoice is voided.
alter table invoices
  add column amount_credited int8 not null default 0,
  add column credited_owed int8 not null default 0,
  add constraint credited_at_most_the_total
    check (amount_credited between 0 and greatest(total, 0)) not valid,
  add constraint credited_owed_is_credited
    check (credited_owed between 0 and amount_credited and (status = 'void' or credited_owed <= credit_applied)) not valid;
