-- Where the seller receives e-invoices and is known in their networks, such as Peppol.
alter table sellers add column electronic_address jsonb;
