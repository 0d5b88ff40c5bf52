-- The discounts of a one-off invoice: copies of the terms of coupons. Null: none.
alter table invoices add column discounts jsonb;
