-- Outside a transaction. Invoices of deleted customers, whose copy of the customer is erased after the retention period.
create index concurrently if not exists invoices_to_erase on invoices (erase_parties_at) where erase_parties_at is not null;
