-- Validated apart from 0185, because this reads the whole table without blocking writes.
alter table payment_method_provider_tokens
  validate constraint known_status,
  validate constraint only_an_active_credential_has_a_token,
  validate constraint an_unfinished_credential_has_its_payment;
