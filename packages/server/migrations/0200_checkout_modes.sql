-- What a checkout session is for: a payment, a subscription, or only storing a card. A session of the last two modes
-- completes with the customer and the payment method. Confirming a session that sells a subscription stores its order:
-- the instant at which the subscription starts, and the ids of the subscription and of its first invoice. Both are
-- created after the payment.

alter table checkout_sessions
  add column mode text not null default 'payment',
  add column payment_method_id uuid,
  add column subscription jsonb,
  add column checkout_order jsonb,
  add column subscription_id uuid,
  add constraint known_mode check (mode in ('payment', 'subscription', 'setup')) not valid,
  add constraint a_stored_card_has_its_customer check (mode <> 'setup' or status <> 'completed'
    or (customer_id is not null and payment_method_id is not null)) not valid,
  add constraint a_setup_charges_nothing check (mode <> 'setup'
    or (amount is null and open_amount is null and line_items is null)) not valid,
  add constraint a_sold_subscription_exists check (mode <> 'subscription' or status <> 'completed'
    or (customer_id is not null and subscription_id is not null)) not valid;

-- If nothing is due, a successful verification of the card completes the session. An amount needs a kept payment.
create function completed_by_its_payment() returns trigger
language plpgsql as $$
begin
  if payment_is_kept(new.workspace_id, new.payment_id) then return null; end if;
  if new.mode <> 'payment' and new.amount is null and exists (
    select from payments where workspace_id = new.workspace_id and id = new.payment_id
      and purpose = 'verification' and status = 'succeeded' and cancel_requested_at is null) then return null; end if;
  raise exception '% %: its payment % was cancelled or refunded', tg_table_name, new.id, new.payment_id
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger checkout_sessions_are_completed_by_their_payments after update on checkout_sessions for each row
  when (new.status = 'completed' and old.status <> 'completed')
  execute function completed_by_its_payment();
drop trigger checkout_sessions_are_completed_by_kept_payments on checkout_sessions;

-- As in 0025, with the order and the quantities that the payer chose: both change with each confirmation.
create or replace function session_change_is_told() returns trigger
language plpgsql as $$
declare
  bookkeeping constant text[] := array['version', 'updated_at', 'due_at', 'status', 'amount', 'live_payment_id',
    'payment_id', 'declines', 'cards', 'presses', 'live_try_id', 'payer', 'receipt_due_at', 'receipt_sent_at',
    'line_items', 'checkout_order'];
begin
  if tg_op = 'UPDATE' and new.sequence = old.sequence then
    if (to_jsonb(new) - bookkeeping) <> (to_jsonb(old) - bookkeeping)
      or (new.status <> old.status and new.status in ('completed', 'expired')) then
      raise exception '% %: changed without an event', tg_table_name, new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    return null;
  end if;
  if new.sequence <> coalesce(old.sequence, 0) + 1 then
    raise exception '% %: sequence went from % to %, one change is one event',
      tg_table_name, new.id, coalesce(old.sequence, 0), new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  if not exists (
    select from events
    where workspace_id = new.workspace_id and object_id = new.id
      and id >= uuid_floor(transaction_timestamp() - interval '1 second')
      and id < uuid_floor(transaction_timestamp() + interval '1 minute')
      and sequence = new.sequence
  ) then
    raise exception '% %: changed without an event of sequence %',
      tg_table_name, new.id, new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
