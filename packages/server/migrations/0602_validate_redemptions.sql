-- Validates the constraint of 0601. Reads the table once, without blocking writes.
alter table redemptions validate constraint reserved_by_session_or_invoice;
