-- Copies of the terms of coupons, and how many periods each has reduced. Null: none.
alter table subscriptions add column discounts jsonb;
