-- Outside a transaction. E-mails that have ended are deleted after 400 days.
create index concurrently if not exists mails_ended on mails (updated_at) where due_at is null;
