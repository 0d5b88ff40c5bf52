-- Outside a transaction. A refund belongs to one credit note at most.
create unique index concurrently if not exists credit_notes_of_refunds on credit_notes (workspace_id, refund_id)
  where refund_id is not null;
