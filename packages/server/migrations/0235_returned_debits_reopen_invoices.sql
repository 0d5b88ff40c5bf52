-- A returned debit is due until the invoice that it had paid is open again, so that the invoice cannot stay paid. Checked at
-- the commit, because both rows change in one transaction.
create function returned_debit_reopens_its_invoice() returns trigger
language plpgsql as $$
begin
  if exists (
    select from invoices
    where workspace_id = new.workspace_id and id = new.invoice_id and payment_id = new.id and status = 'paid'
  ) then
    raise exception 'payments %: it was returned, but its invoice is still paid', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger returned_debits_reopen_their_invoices after update on payments
  deferrable initially deferred for each row
  when (new.amount_reversed > 0 and new.due_at is null and new.invoice_id is not null)
  execute function returned_debit_reopens_its_invoice();
