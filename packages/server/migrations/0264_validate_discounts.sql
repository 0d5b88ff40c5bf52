-- Validated apart from 0261, because this reads the whole table without blocking writes.
alter table invoice_lines
  validate constraint discount_within_amount,
  validate constraint discounts_have_a_sum;
