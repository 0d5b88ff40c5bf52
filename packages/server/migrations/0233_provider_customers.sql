-- Some providers save a card only for one of their customers. The customer is created before the operation is sent, and
-- stored first, so that a repeated request names the same one.
alter table operations add column provider_customer text;
