-- Validated apart from 0386, because this reads the whole table without blocking writes.
alter table credit_notes validate constraint void_keeps_no_credit;
