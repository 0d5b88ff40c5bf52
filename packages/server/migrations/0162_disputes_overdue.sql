-- Outside a transaction. The overdue disputes of a workspace.
create index concurrently if not exists disputes_overdue on disputes (workspace_id, id)
  where status = 'needs_response' and overdue_since_at is not null;
