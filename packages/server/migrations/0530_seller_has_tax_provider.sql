-- A seller with the tax `provider` needs the row of the provider, like a foreign key. It is a trigger because adding a
-- foreign key would lock both tables.
create function seller_has_tax_provider() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.tax = 'provider' then
    return new;
  end if;
  -- Waits for a deletion that has not been committed.
  perform from tax_providers where workspace_id = new.workspace_id for key share;
  if not found then
    raise exception 'seller of %: there is no tax provider', new.workspace_id
      using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;
create trigger sellers_have_tax_provider before insert or update of tax on sellers
  for each row when (new.tax = 'provider') execute function seller_has_tax_provider();
