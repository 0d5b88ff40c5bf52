-- Saved bank accounts in the United States and the United Kingdom.

alter table payment_methods
  drop constraint known_type,
  add constraint known_type check (type in ('card', 'sepa_debit', 'ach_debit', 'bacs_debit')) not valid;
