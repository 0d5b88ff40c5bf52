-- Validated apart from 0280 and 0281, because this reads the whole tables without blocking writes.
alter table invoices
  validate constraint known_invoice_reason,
  validate constraint one_off_has_no_subscription,
  validate constraint only_subscriptions_get_results,
  validate constraint known_collection_method,
  validate constraint sent_invoices_have_terms,
  validate constraint sent_invoices_are_not_charged,
  validate constraint draft_waits_to_be_final;
alter table invoice_lines validate constraint pending_lines_have_a_subscription;
