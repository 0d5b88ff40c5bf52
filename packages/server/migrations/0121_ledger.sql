-- The ledger: one row per movement of money. A row has one debit and one credit of the same amount and currency, so an
-- unbalanced entry cannot be stored. An account is its name, currency and, for clearing, the provider account; there are no
-- account rows that payments would have to lock or create.

-- The id of a posting follows from its cause and line, so a cause is posted once, and a posting lies in the partition of its
-- cause. The line also orders the postings of one cause.
create function ledger_posting_id(cause_id uuid, line int) returns uuid
language sql immutable parallel safe
return encode(
  substring(uuid_send(cause_id) from 1 for 8) || set_byte('\x00'::bytea, 0, 128 + line)
    || substring(sha256(uuid_send(cause_id)) from 1 for 7),
  'hex')::uuid;

create table ledger_postings (
  workspace_id        uuid not null,
  id                  uuid not null,
  -- What caused it: an operation, a payment, a refund, an invoice or a credit entry.
  cause_id            uuid not null,
  line                int2 not null check (line between 0 and 63),
  act                 text not null,
  debit_account       text not null,
  credit_account      text not null,
  -- What the money belongs to on either side: a payment, an invoice or a customer.
  debit_object        uuid not null,
  credit_object       uuid not null,
  -- The account at the provider where the money is; null if neither account is clearing.
  provider_account_id uuid,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  amount              int8 not null check (amount > 0),
  -- The time of the act, which is simulated on a test clock, and the real time of the transaction.
  effective_at        timestamptz not null,
  booked_at           timestamptz not null default now(),
  -- The transaction: the roll-up adds what its last snapshot did not show.
  txid                xid8 not null default pg_current_xact_id(),
  constraint id_follows_from_cause check (id = ledger_posting_id(cause_id, line)),
  constraint accounts_differ check (debit_account <> credit_account),
  constraint clearing_names_its_account check (
    (debit_account = 'clearing' or credit_account = 'clearing') = (provider_account_id is not null)),
  constraint accounts_exist check (array[debit_account, credit_account] <@ array['clearing', 'receivable', 'disputes_held',
    'cash', 'unapplied', 'refunds_payable', 'credit', 'unearned', 'sales', 'refunded', 'fees', 'dispute_losses',
    'bad_debt', 'fx', 'rounding', 'suspense'])
) partition by range (id);
-- The conditions on columns that are never null keep the planner from using these indexes to look up a posting by primary
-- key. In a partition without statistics it would estimate about the same cost, but read all postings of the workspace.
create index ledger_postings_by_debit_object on ledger_postings (workspace_id, debit_object, id)
  where debit_object is not null;
create index ledger_postings_by_credit_object on ledger_postings (workspace_id, credit_object, id)
  where credit_object <> debit_object;
create index ledger_postings_by_booking on ledger_postings (workspace_id, booked_at) where booked_at is not null;
alter table ledger_postings add primary key (workspace_id, id);

-- Postings about older objects belong to the partitions of those objects.
do $$
declare
  old record;
begin
  for old in
    select part.relname as name, pg_get_expr(part.relpartbound, part.oid) as bounds
    from pg_inherits join pg_class as part on part.oid = inhrelid
    where inhparent = 'payments'::regclass and part.relname ~ '^payments_p\d{8}$'
  loop
    execute format('create table %I partition of ledger_postings %s',
      replace(old.name, 'payments_', 'ledger_postings_'), old.bounds);
  end loop;
end
$$;

alter table ledger_postings enable row level security;
alter table ledger_postings force row level security;
create policy own_workspace on ledger_postings to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
-- Corrections are new postings.
grant select, insert on ledger_postings to switchyard_app;

-- The captured amount that is neither applied to an invoice nor returned yet: of a payment for an invoice, and of a payment
-- that was cancelled before its outcome was known.
alter table payments add column amount_unapplied int8 not null default 0,
  add constraint unapplied_is_part_of_captured check (amount_unapplied between 0 and amount_captured) not valid;

-- As before, but a payment can be applied to its invoice without an event about the payment, and an event that the trigger
-- of another table has read in this transaction is not read again (app.told_change).
create or replace function visible_change_is_told() returns trigger
language plpgsql as $$
declare
  bookkeeping constant text[] := array['version', 'updated_at', 'due_at', 'unresolved_since_at', 'unresolved_told',
    'last_error', 'cancel_requested_at', 'attempts_count', 'provider_account_id', 'provider_reference',
    'amount_unapplied'];
begin
  if tg_op = 'UPDATE' and new.sequence = old.sequence then
    if (to_jsonb(new) - bookkeeping) <> (to_jsonb(old) - bookkeeping) then
      raise exception '% %: changed without an event', tg_table_name, new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    return null;
  end if;
  if new.sequence <> coalesce(old.sequence, 0) + 1 then
    raise exception '% %: sequence went from % to %, one change is one event',
      tg_table_name, new.id, coalesce(old.sequence, 0), new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  if current_setting('app.told_change', true) = new.id || ' ' || new.sequence then
    return null;
  end if;
  if not exists (
    select from events
    where workspace_id = new.workspace_id and object_id = new.id
      and id >= uuid_floor(transaction_timestamp() - interval '1 second')
      and id < uuid_floor(transaction_timestamp() + interval '1 minute')
      and sequence = new.sequence
  ) then
    raise exception '% %: changed without an event of sequence %',
      tg_table_name, new.id, new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
