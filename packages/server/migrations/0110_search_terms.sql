-- Words that people search by: names of customers and products, names and e-mail addresses of payers. Under row-level
-- security PostgreSQL uses an index only for operators that it knows to be leakproof. `like`, trigrams and full text
-- search are not; comparing texts is. So each word is a row, and a search for the beginning of a word is a range of a
-- B-tree index.

-- The words of a text: lower case, without accents, without punctuation. A search applies it to what was typed, so that
-- both sides always agree.
create function search_terms_in(content text) returns text[]
language sql immutable parallel safe
return (
  select coalesce(array_agg(distinct left(word, 64) collate "C"), '{}')
  from regexp_split_to_table(
    regexp_replace(normalize(lower(content), nfkd), '[\u0300-\u036f]', '', 'g'), '[^[:alnum:]]+') as word
  where word <> ''
);

-- An e-mail address is one term: what is typed is its beginning.
create function search_terms_of(name text, email text) returns text[]
language sql immutable parallel safe
return search_terms_in(coalesce(name, '')) || case when email is null then '{}' else array[left(lower(email), 256)] end;

create table search_terms (
  workspace_id uuid not null,
  kind         text not null check (kind in ('customer', 'product', 'checkout_session')),
  object_id    uuid not null,
  -- In byte order, whatever the locale of the database: "begins with" is a range only then.
  term         text collate "C" not null,
  primary key (workspace_id, kind, object_id, term)
);
create index search_terms_by_term on search_terms (workspace_id, term, kind, object_id);

alter table search_terms enable row level security;
alter table search_terms force row level security;
create policy own_workspace on search_terms to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, delete on search_terms to switchyard_app;

-- Replaces the terms of an object that are different. A deleted object has neither a name nor an e-mail address left, and so no terms. Each old
-- term is named, so that every row is found by a whole key, whichever index the planner chooses.
create function replace_search_terms(workspace uuid, kind_of text, object uuid, old_terms text[], terms text[]) returns void
language sql
begin atomic
  delete from search_terms
  where workspace_id = workspace and kind = kind_of and object_id = object
    and term = any (array(select unnest(old_terms) except select unnest(terms)));
  insert into search_terms (workspace_id, kind, object_id, term)
  select workspace, kind_of, object, term
  from (select unnest(terms) except select unnest(old_terms)) as added (term)
  on conflict do nothing;
end;

create function index_customer_terms() returns trigger language plpgsql as $$
begin
  perform replace_search_terms(new.workspace_id, 'customer', new.id,
    search_terms_of(old.name, old.email), search_terms_of(new.name, new.email));
  return null;
end $$;
create trigger customers_are_searched after insert on customers
  for each row when (new.name is not null or new.email is not null) execute function index_customer_terms();
create trigger customers_are_searched_again after update on customers
  for each row when (old.name is distinct from new.name or old.email is distinct from new.email)
  execute function index_customer_terms();

create function index_product_terms() returns trigger language plpgsql as $$
begin
  perform replace_search_terms(new.workspace_id, 'product', new.id, search_terms_in(coalesce(old.name, '')),
    case when new.deleted_at is null then search_terms_in(new.name) else '{}' end);
  return null;
end $$;
create trigger products_are_searched after insert on products
  for each row execute function index_product_terms();
create trigger products_are_searched_again after update on products
  for each row when (old.name <> new.name or old.deleted_at is distinct from new.deleted_at)
  execute function index_product_terms();

create function index_payer_terms() returns trigger language plpgsql as $$
begin
  perform replace_search_terms(new.workspace_id, 'checkout_session', new.id,
    search_terms_of(old.payer ->> 'name', old.payer ->> 'email'),
    search_terms_of(new.payer ->> 'name', new.payer ->> 'email'));
  return null;
end $$;
create trigger payers_are_searched after insert on checkout_sessions
  for each row when (new.payer is not null) execute function index_payer_terms();
create trigger payers_are_searched_again after update on checkout_sessions
  for each row when (old.payer is distinct from new.payer) execute function index_payer_terms();

-- The next file reads all workspaces as the owner, whom row-level security binds too. The one after it removes these.
create policy search_backfill on search_terms for insert to current_user with check (true);
create policy search_backfill on customers for select to current_user using (true);
create policy search_backfill on products for select to current_user using (true);
create policy search_backfill on checkout_sessions for select to current_user using (true);
