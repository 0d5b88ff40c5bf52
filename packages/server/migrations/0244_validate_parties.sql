-- Validated apart from 0241, because this reads the whole table without blocking writes.
alter table invoices
  validate constraint erased_after_retention,
  validate constraint year_and_number_in_year;
