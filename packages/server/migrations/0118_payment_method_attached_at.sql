-- When a payment method was attached to its customer. Null if that was before this column existed.
alter table payment_methods add column attached_at timestamptz;
