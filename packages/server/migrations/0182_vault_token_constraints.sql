-- The constraints of 0181 also hold for the rows from before.

alter table card_tokens
  validate constraint known_type,
  validate constraint a_provider_token_has_its_account,
  validate constraint a_vault_token_has_its_vault,
  validate constraint a_number_has_a_fingerprint;
