-- What a customer gets back of an invoice once it is paid: its subscription left the period before that, and the unused
-- time was to be credited or refunded.
alter table invoices add column return_amount int8, add column return_as text,
  add constraint return_is_whole check ((return_amount is null) = (return_as is null)) not valid,
  add constraint return_is_possible check (return_amount > 0 and return_as in ('credit', 'refund')) not valid;
