-- Lines of one-off invoices have no subscription. Lines that wait for the next invoice have one.
alter table invoice_lines
  alter column subscription_id drop not null,
  add constraint pending_lines_have_a_subscription check (invoice_id is not null or subscription_id is not null) not valid;
