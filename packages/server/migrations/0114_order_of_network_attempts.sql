-- Time stands still on a test clock, so attempts of one instant are returned in the order in which they were made. Before,
-- a decline at the same instant as an approval did not count towards the retry limit of the card.
create or replace function reserve_network_slot(
  slot_workspace uuid, slot_id uuid, slot_payment uuid, slot_card text, slot_amount int8, slot_currency text,
  slot_initiator text, slot_at timestamptz, since timestamptz, most int,
  out barred_by text, out barred_until timestamptz, out same_amount jsonb, out any_amount jsonb)
language plpgsql as $$
declare
  -- Ids contain the real time. Nothing that counts is older than this, so two or three partitions are read.
  floor constant uuid := uuid_floor(transaction_timestamp() - interval '40 days');
begin
  insert into card_budgets (workspace_id, card_key, created_at)
    values (slot_workspace, slot_card, slot_at) on conflict do nothing;
  if found then
    -- The card was never tried before, and it is locked until this transaction ends.
    same_amount := '[]';
    any_amount := '[]';
  else
    select budget.barred_by, budget.barred_until into barred_by, barred_until from card_budgets as budget
      where budget.workspace_id = slot_workspace and budget.card_key = slot_card for update;
    select coalesce(jsonb_agg(to_jsonb(earlier)), '[]') into same_amount from (
      select attempt.result, attempt.advice_code, attempt.created_at, attempt.ended_at from network_attempts as attempt
      where attempt.workspace_id = slot_workspace and attempt.card_key = slot_card and attempt.amount = slot_amount
        and attempt.currency = slot_currency and attempt.result in ('open', 'approved', 'declined')
        and attempt.created_at > since and attempt.id >= floor
      order by attempt.created_at desc, attempt.id desc limit most) as earlier;
    select coalesce(jsonb_agg(to_jsonb(earlier)), '[]') into any_amount from (
      select attempt.result, attempt.created_at, attempt.ended_at from network_attempts as attempt
      where attempt.workspace_id = slot_workspace and attempt.card_key = slot_card
        and attempt.result in ('open', 'declined') and attempt.created_at > since and attempt.id >= floor
      order by attempt.created_at desc, attempt.id desc limit most) as earlier;
  end if;
  insert into network_attempts
    (workspace_id, id, payment_id, card_key, amount, currency, initiator, result, created_at)
    values (slot_workspace, slot_id, slot_payment, slot_card, slot_amount, slot_currency, slot_initiator, 'open',
      slot_at);
end
$$;
