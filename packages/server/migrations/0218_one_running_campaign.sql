-- Outside a transaction. An invoice that is opened again gets a further campaign; at most one of them is running.
create unique index concurrently if not exists one_running_campaign_per_invoice on dunning_campaigns (workspace_id, invoice_id)
  where status = 'running';
