-- The account for tax that is owed to the authorities.
alter table ledger_postings
  drop constraint accounts_exist,
  add constraint accounts_are_known check (array[debit_account, credit_account] <@ array['clearing', 'receivable',
    'disputes_held', 'cash', 'unapplied', 'refunds_payable', 'credit', 'unearned', 'sales', 'refunded', 'fees',
    'dispute_losses', 'bad_debt', 'fx', 'rounding', 'suspense', 'tax_payable']) not valid;

-- The tax of a finalized invoice is not earned: it was moved to tax_payable.
create or replace function earned_invoice_is_posted() returns trigger
language plpgsql as $$
begin
  perform require_postings(new.workspace_id, new.id, '{1}',
    new.total - case when new.total >= new.tax_total then new.tax_total else 0 end);
  return null;
end
$$;

create function invoice_tax_is_posted() returns trigger
language plpgsql as $$
begin
  if old.status = 'draft' and new.status <> 'void' then
    perform require_postings(new.workspace_id, new.id, '{6}', abs(new.tax_total));
  elsif old.status <> 'draft' and new.status = 'void' then
    perform require_postings(new.workspace_id, new.id, '{7}', abs(new.tax_total));
  end if;
  return null;
end
$$;
