-- Validated apart from 0360 and 0361, because this reads the whole tables without blocking writes.
alter table invoices
  validate constraint credited_unearned_is_credited,
  validate constraint credited_balance_is_credited;
alter table credit_notes validate constraint unearned_part_of_total;
