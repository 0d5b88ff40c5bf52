-- The terms of what existed before. It reads without a lock on any row, so requests are not kept waiting; what is
-- created or renamed meanwhile is indexed by the triggers.
do $$
begin
  insert into search_terms (workspace_id, kind, object_id, term)
  select workspace_id, 'customer', id, unnest(search_terms_of(name, email)) from customers
  where deleted_at is null
  on conflict do nothing;

  insert into search_terms (workspace_id, kind, object_id, term)
  select workspace_id, 'product', id, unnest(search_terms_in(name)) from products
  where deleted_at is null
  on conflict do nothing;

  insert into search_terms (workspace_id, kind, object_id, term)
  select workspace_id, 'checkout_session', id, unnest(search_terms_of(payer ->> 'name', payer ->> 'email'))
  from checkout_sessions
  where payer is not null
  on conflict do nothing;
end $$;
