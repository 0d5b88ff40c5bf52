-- Tokens of bank accounts in the United States and the United Kingdom.

alter table card_tokens
  drop constraint known_type,
  drop constraint a_debit_has_its_bank_account,
  add constraint known_type check (type in ('card', 'provider_token', 'vault_token', 'sepa_debit', 'ach_debit',
    'bacs_debit', 'ideal', 'bancontact', 'paypal')) not valid,
  add constraint a_debit_has_its_bank_account check (
    (type in ('sepa_debit', 'ach_debit', 'bacs_debit')) = (bank_account is not null)
    and (bank_account is null) = (debit is null)) not valid;
