-- The constraints of 0213, 0214 and 0216 also hold for the rows from before.

alter table card_tokens
  validate constraint known_type,
  validate constraint a_number_has_a_fingerprint,
  validate constraint a_debit_has_its_bank_account;
alter table payment_methods
  validate constraint known_type,
  validate constraint a_debit_has_its_details;
alter table dunning_campaigns validate constraint known_reason;
