-- An invoice that credits unused time takes back its discounts, so the sum of its discounts is negative.
alter table invoices drop constraint invoices_discount_total_check;
