-- Outside a transaction. The campaigns of an invoice.
create index concurrently if not exists dunning_campaigns_of_invoice on dunning_campaigns (workspace_id, invoice_id, id);
