-- The unique index of 0246 serves the same queries.
drop index invoices_by_number;
