-- The constraints of 0340 also hold for the rows from before.

alter table card_tokens
  validate constraint known_type,
  validate constraint a_debit_has_its_bank_account;
