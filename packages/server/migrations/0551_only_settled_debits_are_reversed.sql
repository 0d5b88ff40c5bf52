-- The constraint of 0215 accepted the return of a payment without a settlement, such as a card payment: a condition that is
-- null counts as met.
alter table payments
  drop constraint only_settled_payments_are_reversed,
  add constraint only_settled_payments_are_reversed
    check (amount_reversed = 0 or settlement_status is not distinct from 'settled') not valid;
