-- Credit that a credit note grants.
alter table credit_entries
  drop constraint credit_entries_reason_check,
  add constraint known_credit_reason
    check (reason in ('unused_time', 'invoice_below_zero', 'applied', 'returned', 'credit_note')) not valid;
