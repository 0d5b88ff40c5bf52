-- What a checkout session or payment link is for: a payment, a subscription, or only storing a card. A session of the
-- last two modes completes with the customer and the payment method.

alter table checkout_sessions
  add column mode text not null default 'payment',
  add column payment_method_id uuid,
  add constraint known_mode check (mode in ('payment', 'subscription', 'setup')) not valid,
  add constraint a_stored_card_has_its_customer check (mode <> 'setup' or status <> 'completed'
    or (customer_id is not null and payment_method_id is not null)) not valid,
  add constraint a_setup_charges_nothing check (mode <> 'setup'
    or (amount is null and open_amount is null and line_items is null)) not valid;
alter table payment_links
  add column mode text not null default 'payment',
  add constraint known_mode check (mode in ('payment', 'subscription', 'setup')) not valid,
  drop constraint one_price,
  add constraint one_price_unless_nothing_is_charged check (
    num_nonnulls(amount, open_amount, line_items) = case mode when 'setup' then 0 else 1 end) not valid;

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
