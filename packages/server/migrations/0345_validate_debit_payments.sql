-- The constraints of 0342 also hold for the rows from before.

alter table payments
  validate constraint known_method_type,
  validate constraint a_debit_has_its_details,
  validate constraint only_debits_settle_later;
