-- The checkout session that sold the subscription.
alter table subscriptions add column checkout_session_id uuid;
