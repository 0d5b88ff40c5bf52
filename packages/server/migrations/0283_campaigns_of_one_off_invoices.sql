-- Campaigns of one-off invoices have no subscription.
alter table dunning_campaigns alter column subscription_id drop not null;
