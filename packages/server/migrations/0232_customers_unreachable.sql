-- Outside a transaction. Customers whose e-mails bounce need attention.
create index concurrently if not exists customers_unreachable on customers (workspace_id, id) where email_status is not null;
