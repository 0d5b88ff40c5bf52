-- The discounts of the subscription that a session sells, each with a redemption that the session has reserved. Null: none.
alter table checkout_sessions add column discounts jsonb;
