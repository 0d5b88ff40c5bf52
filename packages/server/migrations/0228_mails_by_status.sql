-- Outside a transaction. Lists of e-mails by status.
create index concurrently if not exists mails_by_status on mails (workspace_id, status, id);
