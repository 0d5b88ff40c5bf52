-- Outside a transaction. What was done to one object, the newest first.
create index concurrently if not exists audit_entries_of_object on audit_entries (workspace_id, object_id, id);
