-- Tokens of cards that a vault of another service stores. The token of the vault is encrypted, like that of a provider.

alter table card_tokens
  add column vault text,
  add column vault_token bytea,
  drop constraint card_tokens_type_check,
  drop constraint a_token_is_of_one_type,
  add constraint known_type check (type in ('card', 'provider_token', 'vault_token')) not valid,
  add constraint a_provider_token_has_its_account check ((type = 'provider_token') = (provider_account_id is not null)
    and (type = 'provider_token') = (provider_token is not null)) not valid,
  add constraint a_vault_token_has_its_vault check ((type = 'vault_token') = (vault is not null)
    and (type = 'vault_token') = (vault_token is not null)) not valid,
  add constraint a_number_has_a_fingerprint check ((type = 'provider_token') = (fingerprint is null)) not valid;
