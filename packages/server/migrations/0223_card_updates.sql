-- A checkout session that replaces a card: when it completes, its card becomes the card of one subscription of its
-- customer, or of all of them.
alter table checkout_sessions
  add column replaces_card boolean not null default false,
  add column card_subscription_id uuid,
  add constraint a_replaced_card_has_a_customer check (not replaces_card
    or (mode = 'setup' and customer_id is not null)) not valid,
  add constraint one_subscription_of_a_replaced_card check (card_subscription_id is null or replaces_card) not valid;
