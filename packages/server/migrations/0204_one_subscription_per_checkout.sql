-- Outside a transaction. A checkout session creates one subscription, whatever the code believes.
create unique index concurrently if not exists one_subscription_per_checkout
  on subscriptions (workspace_id, checkout_session_id) where checkout_session_id is not null;
