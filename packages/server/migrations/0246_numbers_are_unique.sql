-- Outside a transaction. No two invoices of a workspace have the same number, whatever their prefix.
create unique index concurrently if not exists invoice_numbers_are_unique on invoices (workspace_id, number)
  where number is not null;
