-- Validates the constraints of 0223. Reads checkout_sessions once, without blocking writes.
alter table checkout_sessions validate constraint a_replaced_card_has_a_customer;
alter table checkout_sessions validate constraint one_subscription_of_a_replaced_card;
