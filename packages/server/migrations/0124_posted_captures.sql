-- A capture is committed only with its posting. The statement that reads it also reads the event about the payment, so that
-- the trigger of payments does not have to.
create function capture_is_posted() returns trigger
language plpgsql as $$
declare
  posted int8;
  payment_sequence int8;
  is_told boolean;
begin
  select posted_amount(new.workspace_id, new.id, 0, null), sequence, exists (
    select from events
    where events.workspace_id = payments.workspace_id and events.object_id = payments.id
      and events.id >= uuid_floor(transaction_timestamp() - interval '1 second')
      and events.id < uuid_floor(transaction_timestamp() + interval '1 minute')
      and events.sequence = payments.sequence)
  into posted, payment_sequence, is_told
  from payments where workspace_id = new.workspace_id and id = new.payment_id;
  if posted is distinct from new.amount then
    raise exception 'ledger: line 0 of % is %, but % was moved', new.id, posted, new.amount
      using errcode = 'integrity_constraint_violation';
  end if;
  if is_told then
    is_told := set_config('app.told_change', new.payment_id || ' ' || payment_sequence, true) is not null;
  end if;
  return null;
end
$$;
create constraint trigger captures_are_posted after update on operations
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and new.status = 'succeeded' and old.status <> 'succeeded'
    and (new.kind = 'capture' or (new.kind = 'authorize' and new.capture)))
  execute function capture_is_posted();
