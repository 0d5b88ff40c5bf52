-- Saved bank accounts.

alter table payment_methods
  add column debit jsonb,
  drop constraint payment_methods_type_check,
  add constraint known_type check (type in ('card', 'sepa_debit')) not valid,
  add constraint a_debit_has_its_details check ((type = 'card') = (debit is null)) not valid;
