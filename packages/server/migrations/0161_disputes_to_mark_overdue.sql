-- Outside a transaction. The disputes that become overdue unless a response is submitted by then.
create index concurrently if not exists disputes_to_mark_overdue on disputes (respond_by_at)
  where status = 'needs_response' and overdue_since_at is null;
