-- A line of a note may credit a negative amount, if the invoice is void: 0652.
alter table credit_note_lines
  drop constraint credit_note_lines_amount_check,
  drop constraint credit_note_lines_tax_check,
  add constraint note_line_is_not_empty check (amount <> 0 or tax <> 0) not valid;
