-- Invoices: what a customer owes, line by line, and how it is collected. Credit that is set against them.

-- A change that the world can see needs its event. The columns that a trigger names are bookkeeping, and need none.
create function change_is_told_but_for() returns trigger
language plpgsql as $$
declare
  -- The event carries the instant at which this transaction began, so only the open partition is read. Computed here:
  -- inside the condition it would be computed several times over, and that for every row that renews.
  since uuid := uuid_floor(transaction_timestamp() - interval '1 second');
  until uuid := uuid_floor(transaction_timestamp() + interval '1 minute');
begin
  if tg_op = 'UPDATE' and new.sequence = old.sequence then
    if (to_jsonb(new) - tg_argv) <> (to_jsonb(old) - tg_argv) then
      raise exception '% %: changed without an event', tg_table_name, new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    return null;
  end if;
  if new.sequence <> coalesce(old.sequence, 0) + 1 then
    raise exception '% %: sequence went from % to %, one change is one event',
      tg_table_name, new.id, coalesce(old.sequence, 0), new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  if not exists (
    select from events
    where workspace_id = new.workspace_id and object_id = new.id
      and id >= since and id < until and sequence = new.sequence
  ) then
    raise exception '% %: changed without an event of sequence %',
      tg_table_name, new.id, new.sequence using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;

-- Where the numbers of invoices come from. One to a workspace.
create table invoice_series (
  workspace_id  uuid not null,
  id            uuid not null,
  prefix        text not null check (prefix ~ '^[A-Z0-9]{1,12}$'),
  next_sequence int8 not null default 1 check (next_sequence > 0),
  created_at    timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id)
);

-- A number is given once.
create function numbers_go_up() returns trigger
language plpgsql as $$
begin
  if new.next_sequence < old.next_sequence then
    raise exception 'series %: its next number went from % back to %', new.id, old.next_sequence, new.next_sequence
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger invoice_series_go_up before update on invoice_series
  for each row execute function numbers_go_up();

create table invoices (
  workspace_id        uuid not null,
  id                  uuid not null,
  status              text not null check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  reason              text not null check (reason in ('start', 'cycle', 'change', 'resume', 'cancel')),
  series_id           uuid not null,
  -- Given when it is finalized: without gaps, and never again.
  sequence_number     int8 check (sequence_number > 0),
  number              text,
  customer_id         uuid not null,
  subscription_id     uuid not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  -- The period that it bills; null if it only changes what was billed.
  epoch               int,
  period_index        int,
  period_start_at     timestamptz,
  period_end_at       timestamptz,
  change_id           uuid,
  subtotal            int8 not null,
  discount_total      int8 not null default 0 check (discount_total >= 0),
  tax_total           int8 not null default 0 check (tax_total >= 0),
  total               int8 not null,
  credit_applied      int8 not null default 0 check (credit_applied >= 0),
  credit_granted      int8 not null default 0 check (credit_granted >= 0),
  amount_due          int8 not null,
  amount_paid         int8 not null default 0 check (amount_paid >= 0),
  -- A total below zero lowers what is owed on this one first.
  reduces_invoice_id  uuid,
  payment_method_id   uuid,
  payment_route_id    uuid,
  collect             text not null check (collect in ('now', 'spread', 'never')),
  -- The payment that is under way. There is at most one, so nobody pays twice.
  live_payment_id     uuid,
  -- The one that paid.
  payment_id          uuid,
  paid_out_of_band    boolean not null default false,
  attempt_count       int not null default 0,
  last_failure        jsonb,
  campaign_id         uuid,
  -- Nothing is tried by itself meanwhile.
  held                boolean not null default false,
  finalize_at         timestamptz,
  next_attempt_at     timestamptz,
  collect_at          timestamptz generated always as (
    case when status = 'open' and live_payment_id is null and not held then next_attempt_at end) stored,
  -- Something happened that its subscription, or its campaign, has not heard of.
  subscription_due_at timestamptz,
  dunning_due_at      timestamptz,
  due_at              timestamptz,
  overdue_since_at    timestamptz,
  finalized_at        timestamptz,
  paid_at             timestamptz,
  voided_at           timestamptz,
  void_reason         text check (void_reason in ('requested', 'pause', 'activation_expired')),
  uncollectible_at    timestamptz,
  test_clock_id       uuid,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             int not null default 1,
  sequence            int not null default 1,
  primary key (workspace_id, id),
  foreign key (workspace_id, series_id) references invoice_series (workspace_id, id),
  unique (workspace_id, series_id, sequence_number),
  constraint total_adds_up check (total = subtotal - discount_total + tax_total),
  constraint due_is_what_credit_leaves check (amount_due = greatest(total - credit_applied, 0)),
  constraint credit_covers_what_is_owed check (credit_applied <= greatest(total, 0)),
  constraint paid_is_at_most_due check (amount_paid <= amount_due),
  constraint paid_is_all_of_it check (status <> 'paid' or amount_paid = amount_due),
  constraint draft_has_no_number check (status <> 'draft' or number is null),
  constraint numbered_when_final check (status in ('draft', 'void') or number is not null),
  constraint number_and_sequence check ((number is null) = (sequence_number is null)),
  constraint draft_waits_to_be_final check ((status = 'draft') = (finalize_at is not null)),
  constraint period_is_whole check ((period_index is null) = (epoch is null)
    and (period_index is null) = (period_start_at is null) and (period_index is null) = (period_end_at is null)),
  constraint period_is_billed check (reason not in ('start', 'cycle', 'resume') or period_index is not null),
  constraint void_has_a_time check ((status = 'void') = (voided_at is not null)),
  constraint void_has_a_reason check ((voided_at is null) = (void_reason is null)),
  constraint paid_has_a_time check ((status = 'paid') = (paid_at is not null))
);
-- A period is billed once.
create unique index one_invoice_per_period on invoices (workspace_id, subscription_id, epoch, period_index)
  where reason in ('start', 'cycle', 'resume') and status <> 'void';
create unique index one_invoice_per_change on invoices (workspace_id, subscription_id, change_id)
  where change_id is not null;
create index invoices_of_customer on invoices (workspace_id, customer_id, id);
create index invoices_of_subscription on invoices (workspace_id, subscription_id, id);
create index invoices_by_status on invoices (workspace_id, status, id);
create index invoices_owed on invoices (workspace_id, subscription_id, id) where status in ('draft', 'open');
create index invoices_to_finalize on invoices (finalize_at) where finalize_at is not null and test_clock_id is null;
create index invoices_to_finalize_in_order on invoices (workspace_id, series_id, finalize_at, id)
  where finalize_at is not null;
create index invoices_to_collect on invoices (collect_at) where collect_at is not null and test_clock_id is null;
create index invoices_in_flight on invoices (live_payment_id) where live_payment_id is not null and test_clock_id is null;
create index invoices_news_for_subscription on invoices (subscription_due_at)
  where subscription_due_at is not null and test_clock_id is null;
create index invoices_news_for_dunning on invoices (dunning_due_at)
  where dunning_due_at is not null and test_clock_id is null;
create index invoices_on_clock on invoices (test_clock_id, id)
  where test_clock_id is not null and (finalize_at is not null or collect_at is not null or live_payment_id is not null
    or subscription_due_at is not null or dunning_due_at is not null);

create constraint trigger invoices_change_is_told after insert or update on invoices
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'live_payment_id', 'attempt_count', 'campaign_id', 'held', 'next_attempt_at',
    'collect_at', 'subscription_due_at', 'dunning_due_at');

create table invoice_lines (
  workspace_id         uuid not null,
  id                   uuid not null,
  -- Null: it waits for the next invoice of its subscription.
  invoice_id           uuid,
  subscription_id      uuid not null,
  position             int not null,
  -- What it is for, as it was called then.
  description          text,
  kind                 text not null check (kind in ('cycle', 'proration_credit', 'proration_debit', 'carried')),
  amount               int8 not null,
  currency             text not null,
  quantity             int not null check (quantity between 0 and 1000000),
  price_id             uuid,
  subscription_item_id uuid,
  service_start_at     timestamptz not null,
  service_end_at       timestamptz not null,
  source_line_id       uuid,
  explanation          jsonb not null,
  created_at           timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, invoice_id) references invoices (workspace_id, id),
  constraint only_some_wait check (invoice_id is not null or kind <> 'cycle'),
  constraint service_has_an_end check (service_start_at <= service_end_at)
);
create index lines_of_invoice on invoice_lines (workspace_id, invoice_id, position, id) where invoice_id is not null;
create index lines_that_wait on invoice_lines (workspace_id, subscription_id, id) where invoice_id is null;

-- What was sent to a customer stays as it was sent.
create function lines_of_drafts_only() returns trigger
language plpgsql as $$
begin
  if exists (
    select from changed join invoices
      on invoices.workspace_id = changed.workspace_id and invoices.id = changed.invoice_id
    where invoices.status <> 'draft'
  ) then
    raise exception 'lines of an invoice that is final cannot be changed'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger lines_added after insert on invoice_lines referencing new table as changed
  for each statement execute function lines_of_drafts_only();
create trigger lines_removed after delete on invoice_lines referencing old table as changed
  for each statement execute function lines_of_drafts_only();

create function lines_add_up() returns trigger
language plpgsql as $$
begin
  if new.total <> (
    select coalesce(sum(amount), 0) from invoice_lines
    where workspace_id = new.workspace_id and invoice_id = new.id
  ) then
    raise exception 'invoice %: its lines do not add up to its total', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger invoices_add_up before update on invoices
  for each row when (old.status = 'draft' and new.status <> 'draft' or old.total <> new.total)
  execute function lines_add_up();

-- Money that we owe a customer. It is set against the next invoices.
create table credit_balances (
  workspace_id uuid not null,
  id           uuid not null,
  customer_id  uuid not null,
  currency     text not null check (currency ~ '^[a-z]{3}$'),
  balance      int8 not null check (balance >= 0),
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  version      int not null default 1,
  sequence     int not null default 1,
  primary key (workspace_id, id),
  unique (workspace_id, customer_id, currency)
);
create constraint trigger credit_balances_change_is_told after insert or update on credit_balances
  deferrable initially deferred for each row execute function change_is_told();

-- Each with the balance after it, and never changed: the balance can be recomputed from them.
create table credit_entries (
  workspace_id      uuid not null,
  id                uuid not null,
  credit_balance_id uuid not null,
  amount            int8 not null check (amount <> 0),
  balance_after     int8 not null check (balance_after >= 0),
  reason            text not null check (reason in ('unused_time', 'invoice_below_zero', 'applied', 'returned')),
  invoice_id        uuid,
  created_at        timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, credit_balance_id) references credit_balances (workspace_id, id)
);
create index entries_of_balance on credit_entries (workspace_id, credit_balance_id, id);

-- What a payment is for.
alter table payments add column invoice_id uuid;
create index payments_of_invoice on payments (workspace_id, invoice_id, id) where invoice_id is not null;

do $$
declare
  name text;
begin
  foreach name in array array['invoice_series', 'invoices', 'invoice_lines', 'credit_balances', 'credit_entries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on invoices for select to switchyard_due using (true);
grant select, insert, update on invoice_series, invoices, credit_balances to switchyard_app;
grant select, insert, delete on invoice_lines to switchyard_app;
grant select, insert on credit_entries to switchyard_app;
grant select (workspace_id, id, series_id, subscription_id, finalize_at, collect_at, live_payment_id,
  subscription_due_at, dunning_due_at, test_clock_id) on invoices to switchyard_due;
grant select (status, updated_at) on payments to switchyard_due;
