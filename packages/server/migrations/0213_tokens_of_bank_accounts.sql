-- Tokens of bank accounts that can be debited.

alter table card_tokens
  -- The bank account, encrypted, and the details of it that may be shown, with the mandate.
  add column bank_account bytea,
  add column debit jsonb,
  drop constraint known_type,
  drop constraint a_number_has_a_fingerprint,
  add constraint known_type check (type in ('card', 'provider_token', 'vault_token', 'sepa_debit')) not valid,
  add constraint a_number_has_a_fingerprint check (
    (type in ('card', 'vault_token')) = (fingerprint is not null)) not valid,
  add constraint a_debit_has_its_bank_account check ((type = 'sepa_debit') = (bank_account is not null)
    and (type = 'sepa_debit') = (debit is not null)) not valid;
