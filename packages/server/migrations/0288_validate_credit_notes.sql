-- Validated apart from 0286 and 0287, because this reads the whole tables without blocking writes.
alter table invoices
  validate constraint credited_at_most_the_total,
  validate constraint credited_owed_is_credited;
alter table credit_entries validate constraint known_credit_reason;
