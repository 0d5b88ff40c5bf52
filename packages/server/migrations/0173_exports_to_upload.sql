-- Outside a transaction. The daily exports whose files have to be uploaded.
create index concurrently if not exists exports_to_upload on exports (upload_at) where upload_at is not null;
