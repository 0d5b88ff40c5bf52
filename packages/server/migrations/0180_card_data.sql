-- How a workspace collects card data. Null: the default, which in production is the vault of Switchyard if an ADMIN has
-- confirmed it, and otherwise the fields of providers. The vault is a service that stores card numbers for
-- the merchant; its secrets are encrypted. A vault stays configured when the mode changes, because saved cards need it.

alter table workspaces
  add column card_data_mode text,
  add column card_vault jsonb,
  add column card_vault_secrets bytea,
  add constraint known_card_data_mode check (card_data_mode in ('own_vault', 'provider_fields', 'external_vault')),
  add constraint external_vault_is_configured check (card_data_mode is distinct from 'external_vault' or card_vault is not null),
  add constraint a_vault_has_secrets check ((card_vault is null) = (card_vault_secrets is null));
