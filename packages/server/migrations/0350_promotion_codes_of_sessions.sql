-- Whether payers can enter a promotion code in a checkout session, and what the entered code takes off the amount. The
-- redemption is reserved when a payment begins. If the payment fails, it is released, and the discount is removed.
alter table checkout_sessions
  add column allows_promotion_codes boolean not null default false,
  add column discount_total int8,
  add constraint discount_total_is_positive check (discount_total > 0) not valid;

-- As in 0200, and the discount of a payer, which is stored when a payment begins.
create or replace function session_change_is_told() returns trigger
language plpgsql as $$
declare
  bookkeeping constant text[] := array['version', 'updated_at', 'due_at', 'status', 'amount', 'live_payment_id',
    'payment_id', 'declines', 'cards', 'presses', 'live_try_id', 'payer', 'receipt_due_at', 'receipt_sent_at',
    'line_items', 'checkout_order', 'discounts', 'discount_total'];
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
