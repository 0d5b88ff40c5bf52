-- Validates the constraint of 0350. Reads the table once, without blocking writes.
alter table checkout_sessions validate constraint discount_total_is_positive;
