-- Outside a transaction. Acts of one kind, the newest first.
create index concurrently if not exists audit_entries_by_act on audit_entries (workspace_id, act, id);
