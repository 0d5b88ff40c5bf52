-- A saved card can have a token at several provider accounts. The table keeps its name, because processes of the previous
-- version still use it during an upgrade. A pending token has a verification in progress; one that failed can be
-- requested again. `payment_id` is the payment that verified the card at the account; null: the one that verified the
-- payment method.
alter table payment_method_provider_tokens
  add column status text not null default 'active',
  add column payment_id uuid,
  add column network_transaction_id text,
  alter column sealed drop not null,
  add constraint known_status check (status in ('pending', 'active', 'failed')) not valid,
  add constraint only_an_active_credential_has_a_token check ((status = 'active') = (sealed is not null)) not valid,
  add constraint an_unfinished_credential_has_its_payment check (status = 'active' or payment_id is not null) not valid;
grant update on payment_method_provider_tokens to switchyard_app;
