-- Outside a transaction. The exports that were requested, without the daily ones.
create index concurrently if not exists exports_on_request on exports (workspace_id, id) where destination_id is null;
