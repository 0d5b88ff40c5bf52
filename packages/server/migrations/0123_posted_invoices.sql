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

-- When the subscription left the period that the invoice bills. From then on its total is earned.
alter table invoices add column earned_at timestamptz;
drop trigger invoices_change_is_told on invoices;
create constraint trigger invoices_change_is_told after insert or update on invoices
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'live_payment_id', 'attempt_count', 'campaign_id', 'held', 'next_attempt_at',
    'collect_at', 'subscription_due_at', 'dunning_due_at', 'earned_at');

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
