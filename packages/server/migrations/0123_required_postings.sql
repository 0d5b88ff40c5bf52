-- A change that moves money is committed only with its postings. Units of work set app.posts when they begin; the version
-- before this one does not post, so its transactions are not checked while it still runs during an upgrade.

-- The sum of two lines of a cause. Each is read by its primary key.
create function posted_amount(in_workspace uuid, cause uuid, first_line int, second_line int) returns int8
language sql stable
return coalesce((
    select amount from ledger_postings
    where workspace_id = in_workspace and id = ledger_posting_id(cause, first_line)), 0)
  + coalesce((
    select amount from ledger_postings
    where workspace_id = in_workspace and id = ledger_posting_id(cause, second_line)), 0);

-- Refuses the transaction unless these lines of a cause add up to the amount.
create function require_postings(in_workspace uuid, cause uuid, lines int[], expected int8) returns void
language plpgsql as $$
declare
  posted constant int8 := posted_amount(in_workspace, cause, lines[1], lines[2]);
begin
  if posted <> expected then
    raise exception 'ledger: lines % of % add up to %, but % was moved', lines, cause, posted, expected
      using errcode = 'integrity_constraint_violation';
  end if;
end
$$;

-- One statement reads the posting of the capture and the event about its payment. So the payment is not checked again.
create function capture_is_posted() returns trigger
language plpgsql as $$
declare
  posted int8;
  is_told boolean;
begin
  select posted_amount(new.workspace_id, new.id, 0, null), exists (
    select from events
    where events.workspace_id = payments.workspace_id and events.object_id = payments.id
      and events.id >= uuid_floor(transaction_timestamp() - interval '1 second')
      and events.id < uuid_floor(transaction_timestamp() + interval '1 minute')
      and events.sequence = payments.sequence)
  into posted, is_told
  from payments where workspace_id = new.workspace_id and id = new.payment_id;
  if posted <> new.amount then
    raise exception 'ledger: line 0 of % is %, but % was moved', new.id, posted, new.amount
      using errcode = 'integrity_constraint_violation';
  end if;
  if is_told is not true then
    raise exception 'payments %: changed without an event', new.payment_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger captures_are_posted after update on operations
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and new.status = 'succeeded' and old.status <> 'succeeded'
    and (new.kind = 'capture' or (new.kind = 'authorize' and new.capture)))
  execute function capture_is_posted();

drop trigger payments_change_is_told on payments;
create constraint trigger new_payments_are_told after insert on payments
  deferrable initially deferred for each row execute function visible_change_is_told();
create constraint trigger payments_change_is_told after update on payments
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) is distinct from 'on' or new.amount_captured = old.amount_captured)
  execute function visible_change_is_told();

create function refund_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform require_postings(new.workspace_id, new.id, '{0,1}', new.amount);
  elsif new.status = 'succeeded' then
    perform require_postings(new.workspace_id, new.id, '{2}', new.amount);
  else
    perform require_postings(new.workspace_id, new.id, '{3,4}', new.amount);
  end if;
  return null;
end
$$;
create constraint trigger new_refunds_are_posted after insert on refunds
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on')
  execute function refund_is_posted();
create constraint trigger ended_refunds_are_posted after update on refunds
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and new.status <> old.status)
  execute function refund_is_posted();

create function invoice_transition_is_posted() returns trigger
language plpgsql as $$
declare
  owed constant int8 := old.amount_due - old.amount_paid;
begin
  if old.status = 'draft' then
    if new.status <> 'void' then
      perform require_postings(new.workspace_id, new.id, '{0}', greatest(new.total, 0));
    end if;
    return null;
  end if;
  if old.status = 'uncollectible' then
    perform require_postings(new.workspace_id, new.id, '{3}', owed);
  end if;
  if new.status = 'uncollectible' then
    perform require_postings(new.workspace_id, new.id, '{2}', owed);
  elsif new.status = 'void' then
    perform require_postings(new.workspace_id, new.id, '{5}', owed);
  elsif new.status = 'paid' and new.paid_out_of_band then
    perform require_postings(new.workspace_id, new.id, '{4}', owed);
  elsif new.status = 'paid' and owed > 0 then
    perform require_postings(new.workspace_id, new.payment_id, '{0,1}', owed);
  end if;
  return null;
end
$$;
create constraint trigger invoice_transitions_are_posted after update on invoices
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and new.status <> old.status)
  execute function invoice_transition_is_posted();

create function earned_invoice_is_posted() returns trigger
language plpgsql as $$
begin
  perform require_postings(new.workspace_id, new.id, '{1}', new.total);
  return null;
end
$$;
create constraint trigger earned_invoices_are_posted after update on invoices
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and old.earned_at is null and new.earned_at is not null
    and new.status <> 'draft' and new.total > 0)
  execute function earned_invoice_is_posted();

create function credit_entry_is_posted() returns trigger
language plpgsql as $$
begin
  perform require_postings(new.workspace_id, new.id, '{0}', abs(new.amount));
  return null;
end
$$;
create constraint trigger credit_entries_are_posted after insert on credit_entries
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on')
  execute function credit_entry_is_posted();

-- A subscription leaves a period only if what its invoice bills is earned, or the invoice can never be paid.
create function left_period_is_earned() returns trigger
language plpgsql as $$
begin
  if exists (
    select from invoices
    where workspace_id = old.workspace_id and id = old.period_invoice_id
      and period_index is not null and earned_at is null and withdrawn_at is null and status <> 'void'
  ) then
    raise exception 'subscription %: it left the period of invoice %, which is neither earned nor withdrawn',
      old.id, old.period_invoice_id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger left_periods_are_earned after update on subscriptions
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and old.period_invoice_id is not null
    and new.period_invoice_id is distinct from old.period_invoice_id)
  execute function left_period_is_earned();
