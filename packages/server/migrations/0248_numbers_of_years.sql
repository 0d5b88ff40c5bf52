-- Outside a transaction. A number of a year is given once.
create unique index concurrently if not exists invoice_numbers_of_years
  on invoices (workspace_id, series_id, number_year, number_in_year) where number_year is not null;
