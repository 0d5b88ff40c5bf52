-- The payer's browser, for 3-D Secure. It is sent with each attempt, and deleted when the payment has a result.
alter table payments add column device jsonb;
