-- Invoices for the usage of a period that has ended.
alter table invoices
  drop constraint known_invoice_reason,
  add constraint known_invoice_reason
    check (reason in ('start', 'cycle', 'change', 'resume', 'cancel', 'one_off', 'usage')) not valid;
