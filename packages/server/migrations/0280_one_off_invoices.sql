-- Invoices without a subscription, and how they are collected: with the payment method of the customer, or sent to the
-- customer, who pays within a number of days.
alter table invoices
  alter column subscription_id drop not null,
  add column collection_method text not null default 'charge_automatically',
  -- The number of days from finalization to the due date.
  add column terms_days int,
  add column memo text,
  add column purchase_order text,
  add column dunning_policy_id uuid,
  -- When the invoice was last sent to the customer by e-mail.
  add column sent_at timestamptz,
  add column reminder_count int not null default 0,
  drop constraint invoices_reason_check,
  add constraint known_invoice_reason
    check (reason in ('start', 'cycle', 'change', 'resume', 'cancel', 'one_off')) not valid,
  add constraint one_off_has_no_subscription check ((reason = 'one_off') = (subscription_id is null)) not valid,
  add constraint only_subscriptions_get_results
    check (subscription_id is not null or (subscription_due_at is null and period_index is null)) not valid,
  add constraint known_collection_method
    check (collection_method in ('charge_automatically', 'send_invoice')) not valid,
  add constraint sent_invoices_have_terms
    check ((collection_method = 'send_invoice') = (terms_days is not null) and terms_days between 0 and 365) not valid,
  add constraint sent_invoices_are_not_charged check (collection_method <> 'send_invoice' or collect = 'never') not valid,
  -- The draft of a one-off invoice waits until it is finalized by request.
  drop constraint draft_waits_to_be_final,
  add constraint draft_waits_to_be_final
    check (case when status = 'draft' then finalize_at is not null or subscription_id is null else finalize_at is null end)
    not valid;
