-- A checkout session that is paid by a debit is completed as soon as the debit was submitted. The bank confirms it later:
-- until then its payment status is pending, and the session still has its payment in progress.

alter table checkout_sessions
  add column payment_status text,
  drop constraint one_live_payment,
  add constraint known_payment_status check (payment_status in ('pending', 'paid', 'failed')) not valid,
  add constraint only_completed_debits_are_pending check (payment_status is null or status = 'completed') not valid,
  add constraint one_live_payment check (
    (status = 'processing' or (payment_status is not null and payment_status = 'pending')) = (live_payment_id is not null)) not valid;

-- As in 0200: a debit that was submitted completes the session as pending.
create or replace function completed_by_its_payment() returns trigger
language plpgsql as $$
begin
  if payment_is_kept(new.workspace_id, new.payment_id) then return null; end if;
  if new.payment_status = 'pending' and exists (
    select from payments where workspace_id = new.workspace_id and id = new.payment_id
      and settlement_status = 'pending' and cancel_requested_at is null) then return null; end if;
  if new.mode <> 'payment' and new.amount is null and exists (
    select from payments where workspace_id = new.workspace_id and id = new.payment_id
      and purpose = 'verification' and status = 'succeeded' and cancel_requested_at is null) then return null; end if;
  raise exception '% %: its payment % was cancelled or refunded', tg_table_name, new.id, new.payment_id
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger pending_sessions_are_paid_by_kept_payments after update on checkout_sessions for each row
  when (new.payment_status = 'paid' and old.payment_status is distinct from 'paid')
  execute function paid_by_a_kept_payment();

grant select (status, invoice_id) on checkout_sessions to switchyard_due;
