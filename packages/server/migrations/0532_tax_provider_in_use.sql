-- The other side of 0530 and 0531: a provider stays while the seller uses it, and while one of its documents is not recorded.
-- Transactions that lock the row have ended when these triggers run.
create function tax_provider_in_use() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from sellers where workspace_id = old.workspace_id and tax = 'provider'
  ) then
    raise exception 'tax provider of %: the seller uses it', old.workspace_id using errcode = 'foreign_key_violation';
  end if;
  if (tg_op = 'DELETE' or new.provider <> old.provider) and exists (
    select from tax_documents
    where workspace_id = old.workspace_id and provider = old.provider and due_at is not null
  ) then
    raise exception 'tax provider of %: documents of % are not recorded', old.workspace_id, old.provider
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$$;
create trigger tax_provider_in_use after delete or update of provider on tax_providers
  for each row execute function tax_provider_in_use();
