-- Outside a transaction. A draft reserves each coupon at most once.
create unique index concurrently if not exists redemptions_of_invoice on redemptions (workspace_id, invoice_id, coupon_id)
  where invoice_id is not null and status <> 'released';
