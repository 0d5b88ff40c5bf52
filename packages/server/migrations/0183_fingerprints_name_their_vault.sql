-- The fingerprint of a card shows in which vault the card is: '<vault>:<hash>', or only the hash if Switchyard stores it.
alter table card_tokens
  add constraint a_fingerprint_names_its_vault check (fingerprint is null
    or case type when 'vault_token' then starts_with(fingerprint, vault || ':') else position(':' in fingerprint) = 0 end)
    not valid;
