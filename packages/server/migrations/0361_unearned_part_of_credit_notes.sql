-- The part of a credit note that was not earned yet when it was issued.
alter table credit_notes
  add column unearned_amount int8 not null default 0,
  add constraint unearned_part_of_total check (unearned_amount between 0 and total) not valid;

-- As in 0311, with the postings of the part that was not earned. If it is voided after the period, that part is earned.
create or replace function credit_note_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform require_postings(new.workspace_id, new.id, '{1}', new.tax_total);
    perform require_postings(new.workspace_id, new.id, '{3}', new.unearned_amount);
  elsif new.status = 'void' then
    perform require_postings(new.workspace_id, new.id, '{0}', new.total);
    perform require_postings(new.workspace_id, new.id, '{2}', new.tax_total);
    perform require_postings(new.workspace_id, new.id, '{4}', case when exists (
      select from invoices
      where workspace_id = new.workspace_id and id = new.invoice_id and earned_at is null
    ) then new.unearned_amount else 0 end);
  end if;
  return null;
end
$$;
