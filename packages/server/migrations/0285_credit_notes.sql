-- Credit notes: documents that take back all or part of an invoice. Their numbers are a series of their own.
create table credit_note_series (
  workspace_id  uuid primary key,
  next_sequence int8 not null default 1 check (next_sequence > 0)
);

create table credit_notes (
  workspace_id    uuid not null,
  id              uuid not null,
  status          text not null check (status in ('issued', 'void')),
  sequence_number int8 not null check (sequence_number > 0),
  number          text not null,
  invoice_id      uuid not null,
  customer_id     uuid not null,
  currency        text not null check (currency ~ '^[a-z]{3}$'),
  reason          text not null
    check (reason in ('duplicate', 'product_unsatisfactory', 'order_change', 'order_cancelled', 'other')),
  memo            text,
  subtotal        int8 not null check (subtotal > 0),
  tax_total       int8 not null check (tax_total >= 0),
  total           int8 not null check (total > 0),
  -- How the total reaches the customer: it reduces what is still owed, is refunded, or becomes credit.
  applied_amount  int8 not null check (applied_amount >= 0),
  refund_amount   int8 not null check (refund_amount >= 0),
  balance_amount  int8 not null check (balance_amount >= 0),
  refund_id       uuid,
  voided_at       timestamptz,
  test_clock_id   uuid,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  version         int not null default 1,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  unique (workspace_id, sequence_number),
  unique (workspace_id, number),
  constraint parts_are_the_total check (applied_amount + refund_amount + balance_amount = total),
  constraint refund_is_known check ((refund_amount > 0) = (refund_id is not null)),
  constraint void_has_a_time check ((status = 'void') = (voided_at is not null)),
  -- What was refunded or became credit cannot be taken back.
  constraint void_before_money_moved check (status <> 'void' or applied_amount = total)
);
create index credit_notes_of_invoice on credit_notes (workspace_id, invoice_id, id);
create index credit_notes_of_customer on credit_notes (workspace_id, customer_id, id);
create constraint trigger credit_notes_change_is_told after insert or update on credit_notes
  deferrable initially deferred for each row execute function change_is_told();

create table credit_note_lines (
  workspace_id    uuid not null,
  id              uuid not null,
  credit_note_id  uuid not null,
  invoice_line_id uuid not null,
  position        int not null,
  description     text,
  amount          int8 not null check (amount > 0),
  tax             int8 not null check (tax >= 0),
  primary key (workspace_id, id),
  unique (workspace_id, credit_note_id, invoice_line_id),
  foreign key (workspace_id, credit_note_id) references credit_notes (workspace_id, id)
);

-- Numbers have no gaps: whatever the counter skips has been given to credit notes by the end of the transaction.
create function credit_note_numbers_have_no_gaps() returns trigger
language plpgsql as $$
declare
  first constant int8 := case when tg_op = 'INSERT' then 1 else old.next_sequence end;
begin
  if new.next_sequence - first <> (
    select count(1) from credit_notes
    where workspace_id = new.workspace_id and sequence_number >= first and sequence_number < new.next_sequence
  ) then
    raise exception 'credit notes: numbers from % to % are not all in use', first, new.next_sequence - 1
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger credit_note_series_has_no_gaps after insert or update on credit_note_series
  deferrable initially deferred for each row execute function credit_note_numbers_have_no_gaps();

-- A credit note never changes, except that it becomes void.
create function credit_notes_stay() returns trigger
language plpgsql as $$
begin
  if (to_jsonb(new) - '{status,voided_at,updated_at,version,sequence}'::text[])
    <> (to_jsonb(old) - '{status,voided_at,updated_at,version,sequence}'::text[]) or old.status = 'void' then
    raise exception 'credit note %: it was issued and cannot be changed', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger credit_notes_stay after update on credit_notes for each row execute function credit_notes_stay();

do $$
declare
  name text;
begin
  foreach name in array array['credit_note_series', 'credit_notes', 'credit_note_lines'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
grant select, insert, update on credit_note_series, credit_notes to switchyard_app;
grant select, insert on credit_note_lines to switchyard_app;
