-- The tax of an invoice that a tax provider computes. Invoices without a row have no tax, or tax of our own rates.
create table invoice_taxes (
  workspace_id     uuid not null,
  invoice_id       uuid not null,
  -- pending: to be computed. ready: the draft can be finalized. failed: as pending, and needs attention. committing: to be
  -- recorded at the provider. committed: recorded.
  status           text not null check (status in ('pending', 'ready', 'failed', 'committing', 'committed')),
  -- When it is computed next, or the call that computes it counts as lost.
  due_at           timestamptz,
  -- What the quote is about. Finalizing compares it with the draft.
  input_hash       text,
  input            jsonb,
  quote            jsonb,
  provider         text,
  attempts         int not null default 0 check (attempts >= 0),
  -- The first failure since the last success.
  failing_since_at timestamptz,
  error            text,
  -- Since when the draft waits for its tax, and is not finalized for that reason.
  waiting_since_at timestamptz,
  test_clock_id    uuid,
  updated_at       timestamptz not null,
  primary key (workspace_id, invoice_id),
  constraint quote_is_whole check (status in ('pending', 'failed') or quote is not null and input_hash is not null and input is not null),
  constraint due_until_ready check ((due_at is not null) = (status in ('pending', 'failed')))
);
create index invoice_taxes_due on invoice_taxes (due_at) where due_at is not null;
create index invoice_taxes_waiting on invoice_taxes (workspace_id, updated_at) where status in ('pending', 'failed');

-- What the tax provider has to record: sales when invoices are finalized, and reversals. The reference is unique at the
-- provider as well, so a document that is sent again is recorded once.
create table tax_documents (
  workspace_id       uuid not null,
  reference          text not null,
  kind               text not null check (kind in ('sale', 'reversal')),
  -- The invoice that was sold. Reversals refer to it as well.
  invoice_id         uuid not null,
  credit_note_id     uuid,
  provider           text not null,
  document           jsonb not null,
  -- When it is sent next, or the call that sends it counts as lost. Null once it was recorded.
  due_at             timestamptz,
  record             jsonb,
  recorded_at        timestamptz,
  attempts           int not null default 0 check (attempts >= 0),
  failing_since_at   timestamptz,
  -- Since when it needs attention: the provider rejects it, or has not answered for a day.
  attention_since_at timestamptz,
  error              text,
  test_clock_id      uuid,
  created_at         timestamptz not null,
  primary key (workspace_id, reference),
  constraint recorded_has_record check ((recorded_at is null) = (record is null)),
  constraint due_until_recorded check ((recorded_at is null) = (due_at is not null))
);
create unique index one_sale_per_invoice on tax_documents (workspace_id, invoice_id) where kind = 'sale';
create index tax_documents_of_invoice on tax_documents (workspace_id, invoice_id, created_at);
create index tax_documents_due on tax_documents (due_at) where due_at is not null;
create index tax_documents_unrecorded on tax_documents (workspace_id, created_at) where due_at is not null;
create index tax_documents_attention on tax_documents (workspace_id, attention_since_at)
  where due_at is not null and attention_since_at is not null;

-- A recorded document stays as it is.
create function recorded_tax_documents_stay() returns trigger
language plpgsql as $$
begin
  if old.recorded_at is not null or new.document <> old.document or new.reference <> old.reference then
    raise exception 'tax document %: it was recorded and cannot be changed', old.reference
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger recorded_tax_documents_stay before update on tax_documents
  for each row execute function recorded_tax_documents_stay();

-- An invoice whose tax comes from a provider gets its number only with a tax that was computed.
create function finalized_with_tax() returns trigger
language plpgsql as $$
begin
  if exists (
    select from invoice_taxes
    where workspace_id = new.workspace_id and invoice_id = new.id and status in ('pending', 'failed')
  ) then
    raise exception 'invoice %: its tax was not computed', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger invoices_finalized_with_tax after update on invoices
  deferrable initially deferred for each row
  when (old.status = 'draft' and new.status = 'open') execute function finalized_with_tax();

do $$
declare
  name text;
begin
  foreach name in array array['invoice_taxes', 'tax_documents'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
    execute format('create policy due_anywhere on %I for select to switchyard_due using (true)', name);
    execute format('grant select, insert, update on %I to switchyard_app', name);
    execute format('grant select (workspace_id, invoice_id, due_at, test_clock_id) on %I to switchyard_due', name);
  end loop;
end
$$;
grant delete on invoice_taxes to switchyard_app;
