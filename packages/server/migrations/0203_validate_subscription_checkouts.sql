-- Validated apart from 0202, because this reads the whole tables without blocking writes.
alter table checkout_sessions validate constraint a_sold_subscription_exists;
alter table invoice_lines validate constraint known_kind;
