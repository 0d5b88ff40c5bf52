-- The list of discounts of a customer has a version: it grows with each discount that is added, removed or moved. Discounts are
-- never deleted.
alter table customer_discounts add column moves int not null default 0;
drop trigger customer_discounts_change_is_told on customer_discounts;
create constraint trigger customer_discounts_change_is_told after insert or update on customer_discounts
  deferrable initially deferred for each row
  execute function change_is_told_but_for('used_periods', 'position', 'moves');
