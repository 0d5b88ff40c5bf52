-- A credit note on an invoice whose period has not ended takes back what is not earned yet: it reduces unearned, not sales.
alter table invoices
  -- What credit notes took from unearned before the period ended. It is not earned at the end of the period.
  add column unearned_credited int8 not null default 0,
  -- The part of amount_credited that became credit of the customer.
  add column credited_balance int8 not null default 0,
  add constraint credited_unearned_is_credited
    check (unearned_credited between 0 and greatest(total, total - tax_total, 0)) not valid,
  add constraint credited_balance_is_credited
    check (credited_balance between 0 and amount_credited - credited_owed) not valid;

-- As in 0258, without what credit notes have taken back.
create or replace function earned_invoice_is_posted() returns trigger
language plpgsql as $$
begin
  perform require_postings(new.workspace_id, new.id, '{1}',
    new.total - case when new.total >= new.tax_total then new.tax_total else 0 end - new.unearned_credited);
  return null;
end
$$;

-- A void invoice leaves nothing in unearned: what its credit notes left there, or took too much, is moved to or from sales.
create function void_leaves_nothing_unearned() returns trigger
language plpgsql as $$
declare
  has_tax_in_revenue constant boolean := new.total >= new.tax_total;
  unearned constant int8 :=
    new.total - case when has_tax_in_revenue then new.tax_total else 0 end - new.unearned_credited;
begin
  perform require_postings(new.workspace_id, new.id, '{8}', abs(unearned
    - (old.amount_due - old.amount_paid) - (old.credit_applied - old.credited_owed)
    + case when has_tax_in_revenue then new.tax_total - new.tax_credited else 0 end));
  return null;
end
$$;
create constraint trigger void_leaves_nothing_unearned after update on invoices
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and old.status <> 'void' and new.status = 'void'
    and old.unearned_credited > 0 and old.earned_at is null)
  execute function void_leaves_nothing_unearned();
