-- The tax that credit notes have taken back of an invoice. It is part of amount_credited.
alter table invoices
  add column tax_credited int8 not null default 0,
  add constraint credited_tax_is_credited check (tax_credited between 0 and amount_credited) not valid;

-- A void invoice returns the tax that no credit note has returned before.
create or replace function invoice_tax_is_posted() returns trigger
language plpgsql as $$
begin
  if old.status = 'draft' and new.status <> 'void' then
    perform require_postings(new.workspace_id, new.id, '{6}', abs(new.tax_total));
  elsif old.status <> 'draft' and new.status = 'void' then
    perform require_postings(new.workspace_id, new.id, '{7}', abs(new.tax_total - new.tax_credited));
  end if;
  return null;
end
$$;
