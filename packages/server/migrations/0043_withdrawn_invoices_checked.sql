-- Before this release no invoice could be withdrawn, so the check holds for all rows.
alter table invoices validate constraint withdrawn_is_never_paid;
