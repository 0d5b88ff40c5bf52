-- Outside a transaction. What one person did, the newest first.
create index concurrently if not exists audit_entries_of_person on audit_entries (workspace_id, person_id, id);
