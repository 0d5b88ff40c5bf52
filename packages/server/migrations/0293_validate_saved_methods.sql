-- Validates the constraints of 0290 and 0291. Reads the tables once, without blocking writes.
alter table checkout_sessions validate constraint known_save_method;
alter table payment_links validate constraint known_save_method;
