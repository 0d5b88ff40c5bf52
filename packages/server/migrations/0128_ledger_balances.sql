-- Balances of the ledger: the sums of postings per account and day. Background work adds new postings, so a balance is read
-- without reading all postings, and payments never update a row that they share.

create table ledger_balances (
  workspace_id        uuid not null,
  account             text not null,
  -- The provider account of clearing. The zero uuid for other accounts, because primary keys cannot contain null.
  provider_account_id uuid not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  -- The UTC date of effective_at.
  day_on              text not null check (day_on ~ '^\d{4}-\d{2}-\d{2}$'),
  debits              int8 not null check (debits >= 0),
  credits             int8 not null check (credits >= 0),
  primary key (workspace_id, account, provider_account_id, currency, day_on),
  constraint clearing_names_its_account check (
    (account = 'clearing') = (provider_account_id <> '00000000-0000-0000-0000-000000000000'))
);

-- Which postings of a workspace are included in its balances. Cursor and balances are updated in the same transaction.
create table ledger_cursors (
  workspace_id       uuid primary key,
  -- The same again: work is dispatched by it.
  id                 uuid not null check (id = workspace_id),
  -- All postings that are visible in this snapshot are included. Without a snapshot, all postings that were booked until
  -- rolled_up_at are included; null if none is.
  rolled_up_at       timestamptz,
  rolled_up_snapshot text,
  -- The number of consecutive runs without new postings: each of them delays the next run.
  idle               int not null default 0 check (idle >= 0),
  due_at             timestamptz not null,
  constraint snapshot_has_a_time check (rolled_up_snapshot is null or rolled_up_at is not null)
);
create index ledger_cursors_due on ledger_cursors (due_at) where due_at is not null;

do $$
declare
  name text;
begin
  foreach name in array array['ledger_balances', 'ledger_cursors'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on ledger_cursors for select to switchyard_due using (true);
grant select, insert, update on ledger_balances, ledger_cursors to switchyard_app;
grant select (workspace_id, id, due_at) on ledger_cursors to switchyard_due;

-- This lock waits for transactions that are creating workspaces, and delays later ones until the commit. So each workspace
-- gets its row either from the function, also if a process of the version before creates it, or from the insert below.
alter table workspaces no force row level security;
create or replace function begin_counting() returns trigger
language plpgsql as $$
begin
  insert into report_cursors (workspace_id, id, due_at) values (new.workspace_id, new.workspace_id, new.created_at);
  insert into ledger_cursors (workspace_id, id, due_at) values (new.workspace_id, new.workspace_id, new.created_at);
  return null;
end
$$;
insert into ledger_cursors (workspace_id, id, due_at) select workspace_id, workspace_id, created_at from workspaces;
alter table workspaces force row level security;
