-- Where the customer receives e-invoices, and the reference that the customer requires on them.
alter table customers add column electronic_address jsonb, add column buyer_reference text;
