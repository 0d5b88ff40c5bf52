-- While a document is written, the row of its provider is locked, so that the provider cannot be replaced or deleted at the
-- same time. A sale needs its provider. A reversal may refer to a provider that was replaced since its sale was recorded.
create function tax_documents_lock_provider() returns trigger
language plpgsql as $$
begin
  perform from tax_providers where workspace_id = new.workspace_id and provider = new.provider for share;
  if not found and new.kind = 'sale' then
    raise exception 'tax document %: the provider % is not configured', new.reference, new.provider
      using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;
create trigger tax_documents_lock_provider before insert on tax_documents
  for each row execute function tax_documents_lock_provider();
