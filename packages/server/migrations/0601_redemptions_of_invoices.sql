-- A draft of a one-off invoice reserves the redemptions of its discounts. They are used when it is finalized, and released
-- when it is deleted.
alter table redemptions
  add column invoice_id uuid,
  drop constraint only_sessions_reserve,
  add constraint reserved_by_session_or_invoice check (
    status = 'used' or num_nonnulls(checkout_session_id, invoice_id) = 1) not valid;
