-- Voiding a finalized invoice issues a credit note with the reason 'void', which credits what earlier notes have left of it. Its
-- lines include those that are themselves credits, with negative amounts. Other notes credit positive amounts only: 0652.
alter table credit_notes
  drop constraint credit_notes_reason_check,
  drop constraint credit_notes_subtotal_check,
  drop constraint credit_notes_tax_total_check,
  drop constraint total_contains_the_tax,
  add constraint known_note_reason check (reason in
    ('duplicate', 'product_unsatisfactory', 'order_change', 'order_cancelled', 'other', 'void')) not valid,
  add constraint note_credits_positive_amounts check (reason = 'void'
    or subtotal > 0 and tax_total >= 0 and total between subtotal and subtotal + tax_total) not valid,
  -- A void invoice stays void, and so does what was returned.
  add constraint void_note_stays check (reason <> 'void'
    or status = 'issued' and refund_amount = 0 and unearned_amount = 0) not valid;
