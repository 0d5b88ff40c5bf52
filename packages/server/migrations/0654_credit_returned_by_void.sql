-- If the bank returns the payment of an invoice, the customer may already have got credit for it from credit notes. Voiding the
-- invoice then returns only the rest of the credit that was applied to it.
create or replace function void_leaves_nothing_unearned() returns trigger
language plpgsql as $$
declare
  has_tax_in_revenue constant boolean := new.total >= new.tax_total;
  unearned constant int8 :=
    new.total - case when has_tax_in_revenue then new.tax_total else 0 end - new.unearned_credited;
begin
  perform require_postings(new.workspace_id, new.id, '{8}', abs(unearned
    - (old.amount_due - old.amount_paid)
    - greatest(old.credit_applied - old.credited_owed - old.credited_balance, 0)
    + case when has_tax_in_revenue then new.tax_total - new.tax_credited else 0 end));
  return null;
end
$$;

create or replace function void_invoice_is_credited() returns trigger
language plpgsql as $$
begin
  perform require_whole_credit(new.workspace_id, new.id, false);
  if (
    select coalesce(sum(entries.amount), 0)
    from credit_balances as balances join credit_entries as entries
      on entries.workspace_id = balances.workspace_id and entries.credit_balance_id = balances.id
    where balances.workspace_id = new.workspace_id and balances.customer_id = new.customer_id
      and balances.currency = new.currency and entries.reason = 'returned' and entries.invoice_id = new.id
  ) <> greatest(old.credit_applied - old.credited_owed - old.credited_balance, 0) then
    raise exception 'invoice %: voiding it returns a different amount of credit than the customer is owed', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
