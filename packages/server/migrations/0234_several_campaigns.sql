-- 0218 and 0219 replace this index.
drop index one_campaign_per_invoice;
