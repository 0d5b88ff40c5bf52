-- When customers are reminded of invoices that were sent to them: days before (negative) and after the due date.
alter table dunning_policies
  add column reminder_days int[] not null default '{-3,1,7,14}',
  add constraint reminder_days_in_range
    check (cardinality(reminder_days) between 1 and 12 and -60 <= all (reminder_days) and 60 >= all (reminder_days)) not valid;
