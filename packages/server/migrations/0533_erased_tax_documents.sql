-- A recorded document stays as it is, until the customer is erased from its invoice after the retention period.
create or replace function recorded_tax_documents_stay() returns trigger
language plpgsql as $$
begin
  if exists (
    select from invoices
    where workspace_id = new.workspace_id and id = new.invoice_id and parties_erased_at is not null
  ) then
    return new;
  end if;
  if old.recorded_at is not null or new.document <> old.document or new.reference <> old.reference then
    raise exception 'tax document %: it was recorded and cannot be changed', old.reference
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
