-- Some providers save a card only for a customer of theirs. The customer is created before the operation is sent, and
-- stored first, so that a repeated request names the same one.
alter table operations add column provider_customer text;
