-- An invoice is open again after the bank has returned the debit that paid it, and gets a further dunning campaign.

-- As in 0123: what is owed again was posted with the return.
create or replace function invoice_transition_is_posted() returns trigger
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
  if old.status = 'paid' then
    if new.status <> 'open' or old.payment_id is null then
      raise exception 'invoice %: it went from paid to %', new.id, new.status
        using errcode = 'integrity_constraint_violation';
    end if;
    perform require_postings(new.workspace_id, old.payment_id, '{2}', new.amount_due - new.amount_paid);
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

alter table dunning_campaigns
  add column reason text not null default 'payment_failed',
  add constraint known_reason check (reason in ('payment_failed', 'debit_returned')) not valid;
