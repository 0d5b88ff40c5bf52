-- The constraints of 0304 also hold for the rows from before.

alter table checkout_sessions
  validate constraint known_payment_status,
  validate constraint only_completed_debits_are_pending,
  validate constraint one_live_payment;
