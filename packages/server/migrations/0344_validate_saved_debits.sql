-- The constraint of 0341 also holds for the rows from before.

alter table payment_methods validate constraint known_type;
