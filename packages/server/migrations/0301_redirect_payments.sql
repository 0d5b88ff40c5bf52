-- Payments that the payer approves on a page of the provider. They have no bank account, and are confirmed immediately.

alter table payments
  drop constraint known_method_type,
  drop constraint a_debit_has_its_details,
  drop constraint only_debits_settle_later,
  add constraint known_method_type check (
    method_type in ('card', 'sepa_debit', 'ideal', 'bancontact', 'paypal')) not valid,
  add constraint a_debit_has_its_details check ((method_type = 'sepa_debit') = (debit is not null)) not valid,
  add constraint only_debits_settle_later check (
    settlement_status is null or method_type = 'sepa_debit') not valid;
