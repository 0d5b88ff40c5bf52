-- Debits of bank accounts. The bank confirms a debit days after it was submitted: until then its payment is processing and
-- its settlement pending. Later the bank can return the amount. What is returned and what is refunded never exceed what was
-- captured.

alter table payments
  add column method_type text not null default 'card',
  add column debit jsonb,
  add column settlement_status text,
  add column settlement_expected_at timestamptz,
  add column settled_at timestamptz,
  add column amount_reversed int8 not null default 0,
  -- {reason_code, provider_reference, at}
  add column reversal jsonb,
  add constraint known_method_type check (method_type in ('card', 'sepa_debit')) not valid,
  add constraint a_debit_has_its_details check ((method_type = 'card') = (debit is null)) not valid,
  add constraint only_debits_settle_later check (settlement_status is null or method_type <> 'card') not valid,
  add constraint known_settlement check (settlement_status in ('pending', 'settled')) not valid,
  add constraint a_pending_settlement_is_processing check (settlement_status <> 'pending'
    or (status = 'processing' and settlement_expected_at is not null and settled_at is null)) not valid,
  add constraint a_settled_payment_has_a_time check ((settlement_status = 'settled') = (settled_at is not null)) not valid,
  add constraint returns_at_most_what_it_took check (amount_reversed >= 0
    and amount_refunding + amount_refunded + amount_reversed <= amount_captured) not valid,
  add constraint a_reversal_has_its_report check ((amount_reversed > 0) = (reversal is not null)) not valid,
  add constraint only_settled_payments_are_reversed check (amount_reversed = 0 or settlement_status = 'settled') not valid;
-- A payment that was returned is due until the invoice that it has paid is open again.
grant select (settled_at, invoice_id) on payments to switchyard_due;

-- As in 0041: a payment that the bank has returned pays for nothing either.
create or replace function payment_is_kept(in_workspace uuid, payment uuid) returns boolean
language sql stable as $$
  select coalesce((
    select cancel_requested_at is null and (status = 'requires_capture'
      or (status = 'succeeded' and amount_captured > amount_refunding + amount_refunded + amount_reversed))
    from payments where workspace_id = in_workspace and id = payment), false)
$$;

-- A return is committed only with its posting, which is line 2 of the payment.
create function reversal_is_posted() returns trigger
language plpgsql as $$
begin
  perform require_postings(new.workspace_id, new.id, '{2}', new.amount_reversed);
  return null;
end
$$;
create constraint trigger reversals_are_posted after update on payments
  deferrable initially deferred for each row
  when (new.amount_reversed <> old.amount_reversed)
  execute function reversal_is_posted();
