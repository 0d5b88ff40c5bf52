-- Outside a transaction. The lines that changed on a day, in the order in which they are exported.
create index concurrently if not exists settlement_lines_changed on settlement_lines (workspace_id, changed_on, id)
  where status <> 'pending';
