-- Tokens of methods that the payer approves on a page of the provider. Switchyard knows only the name of the payer.

alter table card_tokens
  add column account_holder_name text,
  drop constraint known_type,
  add constraint known_type check (
    type in ('card', 'provider_token', 'vault_token', 'sepa_debit', 'ideal', 'bancontact', 'paypal')) not valid,
  add constraint only_redirects_have_a_name check (
    account_holder_name is null or type in ('ideal', 'bancontact', 'paypal')) not valid;
