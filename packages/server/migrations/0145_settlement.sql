-- Settlement: the reports of providers about the money that they pay out, their lines, and payouts. Each line is compared
-- with the postings of the ledger.

-- Settings and progress per provider account.
create table settlement_accounts (
  workspace_id        uuid not null,
  provider_account_id uuid not null,
  -- The column mapping of generic CSV files, as the last import used it.
  mapping             jsonb,
  -- After this many days without a line, a capture or refund is missing at the provider.
  settle_days         int not null default 7 check (settle_days between 1 and 90),
  -- The times of the oldest and the newest imported line.
  first_line_at       timestamptz,
  last_line_at        timestamptz,
  -- Captures and refunds that were booked before this time have been compared with the lines.
  compared_until_at   timestamptz,
  primary key (workspace_id, provider_account_id),
  constraint lines_have_both_times check ((first_line_at is null) = (last_line_at is null))
);

create table settlement_imports (
  workspace_id        uuid not null,
  id                  uuid not null,
  provider_account_id uuid not null,
  format              text not null check (format in ('stripe_payout_reconciliation', 'adyen_settlement_details', 'csv')),
  file_name           text,
  mapping             jsonb,
  status              text not null check (status in ('awaiting_content', 'uploading', 'matching', 'completed', 'failed')),
  -- Counts the uploads. A batch of an earlier upload is refused.
  uploads             int not null default 0,
  columns             jsonb,
  content_sha256      text check (content_sha256 ~ '^[0-9a-f]{64}$'),
  duplicate_of_id     uuid,
  lines_read          int8 not null default 0 check (lines_read >= 0),
  lines_new           int8 not null default 0 check (lines_new between 0 and lines_read),
  lines_processed     int8 not null default 0 check (lines_processed >= 0),
  -- The step of the matching, and the last line or posting that it has processed.
  step                text check (step in ('pending_lines', 'open_lines', 'payouts', 'unexplained', 'missing')),
  step_after          uuid,
  failure             text,
  due_at              timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  completed_at        timestamptz,
  version             int not null default 1,
  primary key (workspace_id, id),
  constraint generic_files_have_a_mapping check ((format = 'csv') = (mapping is not null)),
  constraint matching_is_due check ((status = 'matching') = (due_at is not null)),
  constraint matching_has_a_step check ((status = 'matching') = (step is not null)),
  constraint failed_says_why check ((status = 'failed') = (failure is not null)),
  constraint completed_has_a_time check ((status = 'completed') = (completed_at is not null)),
  constraint content_is_complete check (
    (status in ('matching', 'completed')) = (content_sha256 is not null))
);
create index settlement_imports_of_account on settlement_imports (workspace_id, provider_account_id, id);
create index settlement_imports_due on settlement_imports (due_at) where due_at is not null;
-- The same file again is a duplicate of the first import.
create unique index one_import_per_content on settlement_imports (workspace_id, provider_account_id, content_sha256)
  where content_sha256 is not null and duplicate_of_id is null;

-- One upload at a time per installation, because uploads load the database. The lease is extended with each batch.
create table control.settlement_upload_lease (
  id          int primary key check (id = 1),
  import_id   uuid,
  lease_until timestamptz not null
);
insert into control.settlement_upload_lease (id, lease_until) values (1, '-infinity');
grant select, update on control.settlement_upload_lease to switchyard_control;

-- The lines of reports. The id follows from the provider account, the time and the identity of the line, so the same line
-- is stored once, whichever file contains it. Amounts are positive if they increase the balance at the provider.
create table settlement_lines (
  workspace_id        uuid not null,
  id                  uuid not null,
  provider_account_id uuid not null,
  -- Null for a capture or refund for which no line was imported.
  import_id           uuid,
  number              int,
  kind                text not null check (kind in ('payment', 'refund', 'dispute', 'dispute_reversal', 'fee', 'payout',
    'payout_reversal', 'adjustment')),
  status              text not null check (status in ('pending', 'matched', 'amount_differs', 'missing_here', 'missing_there',
    'resolved')),
  provider_reference  text,
  payment_reference   text,
  our_reference       text,
  -- The payment that our reference names.
  our_payment_id      uuid,
  -- The amount of the payment or refund, in its currency.
  amount              int8 not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  -- What changed the balance at the provider, in the currency of the payout.
  gross               int8 not null,
  fee_processing      int8 not null default 0,
  fee_scheme          int8 not null default 0,
  fee_interchange     int8 not null default 0,
  net                 int8 not null,
  settlement_currency text not null check (settlement_currency ~ '^[a-z]{3}$'),
  payout_reference    text,
  payout_at           timestamptz,
  card_brand          text,
  card_country        text,
  card_funding        text,
  -- The values of the line as a JSON array, in the order of the columns of the import.
  raw                 text,
  -- The posting that the line was matched with, or the posting without a line, and its signed amount.
  cause_id            uuid,
  act                 text,
  posted_amount       int8,
  -- What was posted to suspense for this line: positive if it increased clearing. Each posting has its own line in the
  -- ledger.
  suspense            int8 not null default 0,
  postings            int not null default 0 check (postings between 0 and 64),
  -- Whether the status has changed since suspense was posted.
  needs_posting       boolean not null default false,
  resolution          text check (resolution in ('payment', 'fee', 'adjustment', 'ignored')),
  note                text,
  resolved_at         timestamptz,
  -- The time of the transaction at the provider.
  created_at          timestamptz not null,
  imported_at         timestamptz not null,
  version             int not null default 1,
  primary key (workspace_id, id),
  constraint imported_or_missing check ((import_id is null) = (number is null) and (import_id is null) = (raw is null)),
  constraint posting_is_complete check (
    (cause_id is null) = (act is null) and (cause_id is null) = (posted_amount is null)),
  -- The tolerance is 0 minor units.
  constraint matched_amounts_are_equal check (
    status <> 'matched' or kind in ('fee', 'payout') or (cause_id is not null and amount = posted_amount)),
  constraint differing_amounts_differ check (
    status <> 'amount_differs' or (cause_id is not null and amount <> posted_amount)),
  constraint missing_here_has_no_posting check (status <> 'missing_here' or cause_id is null),
  constraint missing_there_has_no_line check (status <> 'missing_there' or (import_id is null and cause_id is not null)),
  constraint net_is_gross_minus_fees check (
    abs(gross - fee_processing - fee_scheme - fee_interchange - net) <= 1),
  constraint resolved_says_how check (
    (status = 'resolved') = (resolution is not null)
    and (resolution is null) = (note is null) and (resolution is null) = (resolved_at is null))
);
-- A posting is matched once, and reported as missing once.
create unique index one_line_per_posting on settlement_lines (workspace_id, cause_id, act)
  where cause_id is not null and import_id is not null;
create unique index missing_once_per_posting on settlement_lines (workspace_id, cause_id, act)
  where cause_id is not null and import_id is null;
create index settlement_lines_to_match on settlement_lines (workspace_id, import_id, id) where status = 'pending';
create index settlement_lines_open on settlement_lines (workspace_id, status, id)
  where status in ('amount_differs', 'missing_here', 'missing_there', 'resolved');
create index settlement_lines_missing_here on settlement_lines (workspace_id, provider_account_id, id)
  where status = 'missing_here';
create index settlement_lines_to_post on settlement_lines (workspace_id, provider_account_id, id) where needs_posting;

-- The number of lines per status. Imports and resolutions are rare, so the rows are not contended.
create table settlement_counts (
  workspace_id        uuid not null,
  provider_account_id uuid not null,
  status              text not null,
  lines               int8 not null check (lines >= 0),
  primary key (workspace_id, provider_account_id, status)
);

create function count_settlement_lines() returns trigger
language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into settlement_counts as stored (workspace_id, provider_account_id, status, lines)
    select workspace_id, provider_account_id, status, count(*) from new_lines where status <> 'pending'
    group by workspace_id, provider_account_id, status order by 1, 2, 3
    on conflict (workspace_id, provider_account_id, status) do update set lines = stored.lines + excluded.lines;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    update settlement_counts as stored set lines = stored.lines - gone.lines
    from (
      select workspace_id, provider_account_id, status, count(*) as lines from old_lines where status <> 'pending'
      group by workspace_id, provider_account_id, status) as gone
    where stored.workspace_id = gone.workspace_id and stored.provider_account_id = gone.provider_account_id
      and stored.status = gone.status;
  end if;
  return null;
end
$$;
create trigger settlement_lines_are_counted_insert after insert on settlement_lines
  referencing new table as new_lines for each statement execute function count_settlement_lines();
create trigger settlement_lines_are_counted_update after update on settlement_lines
  referencing old table as old_lines new table as new_lines for each statement execute function count_settlement_lines();
create trigger settlement_lines_are_counted_delete after delete on settlement_lines
  referencing old table as old_lines for each statement execute function count_settlement_lines();

-- Payouts to the bank account of the merchant. The amounts are the sums of the entries.
create table payouts (
  workspace_id        uuid not null,
  id                  uuid not null,
  provider_account_id uuid not null,
  provider_reference  text not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  amount              int8 not null default 0,
  gross               int8 not null default 0,
  fees                int8 not null default 0,
  lines               int8 not null default 0 check (lines >= 0),
  arrives_at          timestamptz,
  failed_at           timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             int not null default 1,
  primary key (workspace_id, id),
  constraint one_payout_per_reference unique (workspace_id, provider_account_id, provider_reference, currency)
);

-- What one import adds to a payout, per currency of the lines. Its postings have the entry as their cause.
create table payout_entries (
  workspace_id        uuid not null,
  id                  uuid not null,
  provider_account_id uuid not null,
  -- Null for lines that name no payout.
  payout_id           uuid,
  import_id           uuid not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  -- The currency of the payments. If it differs, the provider has converted `amount` to `converted`.
  line_currency       text not null check (line_currency ~ '^[a-z]{3}$'),
  amount              int8 not null,
  converted           int8 not null,
  lines               int8 not null check (lines > 0),
  fee_processing      int8 not null,
  fee_scheme          int8 not null,
  fee_interchange     int8 not null,
  fee_account         int8 not null,
  rounding            int8 not null,
  -- What was paid out: positive if money left the provider.
  paid_out            int8 not null,
  posted_at           timestamptz,
  primary key (workspace_id, id),
  constraint one_entry_per_import unique nulls not distinct (workspace_id, import_id, payout_id, currency, line_currency)
);
create index payout_entries_of_payout on payout_entries (workspace_id, payout_id, id);

-- What an entry takes from the balance at the provider equals its postings.
create function payout_entry_is_posted() returns trigger
language plpgsql as $$
declare
  posted int8;
begin
  select coalesce(sum(case when credit_account = 'clearing' then amount else -amount end), 0) into posted
  from ledger_postings
  where workspace_id = new.workspace_id and id = any (array(
    select ledger_posting_id(new.id, line) from generate_series(0, 5) as line));
  if posted <> new.fee_processing + new.fee_scheme + new.fee_interchange + new.fee_account + new.rounding + new.paid_out then
    raise exception 'ledger: payout entry % has postings of %', new.id, posted
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger payout_entries_are_posted after insert or update on payout_entries
  deferrable initially deferred for each row when (new.posted_at is not null) execute function payout_entry_is_posted();

-- What is in suspense for a line equals its postings. Reads the row again, because one transaction can change it several
-- times.
create function settlement_line_is_posted() returns trigger
language plpgsql as $$
declare
  line settlement_lines;
  posted int8;
begin
  select * into line from settlement_lines where workspace_id = new.workspace_id and id = new.id;
  select coalesce(sum(case when credit_account = 'suspense' then amount else 0 end
    - case when debit_account = 'suspense' then amount else 0 end), 0) into posted
  from ledger_postings
  where workspace_id = new.workspace_id and id = any (array(
    select ledger_posting_id(new.id, number) from generate_series(0, line.postings - 1) as number));
  if posted <> line.suspense then
    raise exception 'ledger: settlement line % has postings of % in suspense', new.id, posted
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger suspense_is_posted after update on settlement_lines
  deferrable initially deferred for each row
  when (new.suspense <> old.suspense or new.postings <> old.postings) execute function settlement_line_is_posted();

do $$
declare
  name text;
begin
  foreach name in array array['settlement_accounts', 'settlement_imports', 'settlement_lines', 'settlement_counts',
    'payouts', 'payout_entries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
    execute format('grant select, insert, update on %I to switchyard_app', name);
  end loop;
end
$$;
-- A capture or refund that was reported as missing is deleted when its line is imported.
grant delete on settlement_lines to switchyard_app;
create policy due_anywhere on settlement_imports for select to switchyard_due using (true);
grant select (workspace_id, id, due_at) on settlement_imports to switchyard_due;
