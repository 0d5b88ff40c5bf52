-- Validated apart from 0255 and 0256, because this reads the tables without blocking writes.
alter table invoices validate constraint total_with_tax_adds_up;
alter table invoice_lines validate constraint rate_is_whole, validate constraint net_and_tax_together;
