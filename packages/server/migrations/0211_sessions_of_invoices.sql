-- The invoice that a checkout session pays, if it was opened from the hosted page of the invoice.
alter table checkout_sessions add column invoice_id uuid;
