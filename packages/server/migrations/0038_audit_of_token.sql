-- Outside a transaction. What was done with one token, the newest first.
create index concurrently if not exists audit_entries_of_token on audit_entries (workspace_id, api_token_id, id);
