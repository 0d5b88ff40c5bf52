-- Amounts that are charged once, with the first invoice.
alter table invoice_lines
  drop constraint invoice_lines_kind_check,
  add constraint known_kind check (kind in ('cycle', 'one_time', 'proration_credit', 'proration_debit', 'carried')) not valid;
