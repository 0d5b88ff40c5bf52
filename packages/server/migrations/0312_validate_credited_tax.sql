-- Validated apart from 0310 and 0311, because this reads the whole tables without blocking writes.
alter table invoices validate constraint credited_tax_is_credited;
alter table credit_notes validate constraint total_contains_the_tax;
