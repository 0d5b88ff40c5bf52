-- Outside a transaction. The disputes with a response that is sent again unless its result is known by then.
create index concurrently if not exists disputes_to_respond on disputes (respond_at) where respond_at is not null;
