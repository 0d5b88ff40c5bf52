-- Outside a transaction. Drafts that cannot be finalized, because legal fields are missing.
create index concurrently if not exists invoices_blocked on invoices (workspace_id, blocked_since_at, id)
  where status = 'draft' and blocked_since_at is not null;
