-- Outside a transaction. The disputes that become overdue unless a response is submitted by then.
create index concurrently if not exists disputes_to_mark_overdue on disputes (overdue_at) where overdue_at is not null;
