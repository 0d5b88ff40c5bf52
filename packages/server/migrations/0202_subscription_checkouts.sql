-- Checkout sessions and payment links that sell a subscription. Confirming a session stores its order: the instant at
-- which the subscription starts, and the ids of the subscription and of its first invoice. Both are created after the
-- payment.

alter table checkout_sessions
  add column subscription jsonb,
  add column checkout_order jsonb,
  add column subscription_id uuid,
  add constraint a_sold_subscription_exists check (mode <> 'subscription' or status <> 'completed'
    or (customer_id is not null and subscription_id is not null)) not valid;
alter table payment_links add column subscription jsonb;
alter table subscriptions add column checkout_session_id uuid;
alter table invoice_lines
  drop constraint invoice_lines_kind_check,
  add constraint known_kind check (kind in ('cycle', 'one_time', 'proration_credit', 'proration_debit', 'carried')) not valid;

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
