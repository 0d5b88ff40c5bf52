-- The same for payment links, as in 0350.
alter table payment_links add column allows_promotion_codes boolean not null default false;
