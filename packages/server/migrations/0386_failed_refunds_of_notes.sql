-- A credit note whose refund has failed has returned nothing, so it can be voided like one that only reduced what is owed.
alter table credit_notes
  drop constraint void_before_money_moved,
  add constraint void_keeps_no_credit check (status <> 'void' or balance_amount = 0) not valid;

-- As in 0361. Only the part that reduced what is owed is owed again, and the refund of a void note has failed.
create or replace function credit_note_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform require_postings(new.workspace_id, new.id, '{1}', new.tax_total);
    perform require_postings(new.workspace_id, new.id, '{3}', new.unearned_amount);
  elsif new.status = 'void' then
    if new.refund_id is not null and not exists (
      select from refunds
      where workspace_id = new.workspace_id and id = new.refund_id and status = 'failed'
    ) then
      raise exception 'the refund of credit note % has not failed', new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    perform require_postings(new.workspace_id, new.id, '{0}', new.applied_amount);
    perform require_postings(new.workspace_id, new.id, '{2}', new.tax_total);
    perform require_postings(new.workspace_id, new.id, '{4}', case when exists (
      select from invoices
      where workspace_id = new.workspace_id and id = new.invoice_id and earned_at is null
    ) then new.unearned_amount else 0 end);
  end if;
  return null;
end
$$;
