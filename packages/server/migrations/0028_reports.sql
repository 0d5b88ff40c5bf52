-- Figures: what happened, summed up as it happens, so that no report ever counts history. And what people search by.

-- How far the event log of a workspace is counted. The position and the sums are written together.
create table report_cursors (
  workspace_id   uuid primary key,
  -- The same again: work is handed out by it.
  id             uuid not null check (id = workspace_id),
  -- What was committed at that moment is counted: its time, and Postgres' account of the transactions that were open.
  -- Null: nothing is counted yet.
  seen_at        timestamptz,
  seen_snapshot  text,
  -- While there is more than one unit takes on: up to which moment, and the event that was looked at last.
  until_at       timestamptz,
  until_snapshot text,
  after_id       uuid,
  -- Subscriptions that are older than the event log are looked at once, in the order of their ids. Null: all were.
  walked_to      uuid,
  -- How often in a row nothing was found: the next look comes later each time.
  idle           int not null default 0 check (idle >= 0),
  due_at         timestamptz not null,
  constraint a_moment_is_whole check ((seen_at is null) = (seen_snapshot is null)
    and (until_at is null) = (until_snapshot is null)),
  constraint a_position_lies_in_a_stretch check (after_id is null or until_at is not null)
);
create index report_cursors_due on report_cursors (due_at) where due_at is not null;

-- What became of payments, by stretches of time. Each length of stretch is kept for itself, so that a report reads as
-- many rows as it answers. Nobody in particular is the account of all zeros, and no reason is the empty one.
create table payment_figures (
  workspace_id        uuid not null,
  grain               text not null check (grain in ('15m', '1h', '1d')),
  -- The smallest id of the stretch: tables are cut by ids.
  id                  uuid not null,
  at                  timestamptz not null,
  currency            text not null,
  provider_account_id uuid not null,
  reason              text not null,
  created             int8 not null,
  succeeded           int8 not null,
  failed              int8 not null,
  cancelled           int8 not null,
  volume              int8 not null,
  refunded            int8 not null,
  recovered           int8 not null,
  recovered_volume    int8 not null,
  attempts            int8 not null,
  approved            int8 not null,
  primary key (workspace_id, grain, id, currency, provider_account_id, reason)
) partition by range (id);

-- What a subscription, or a dunning campaign, was counted as. Whoever looks again counts the difference, so that it
-- does not matter how often that happens.
create table billing_shares (
  workspace_id uuid not null,
  kind         text not null check (kind in ('subscription', 'dunning_campaign')),
  id           uuid not null,
  status       text not null,
  currency     text not null,
  amount       int8 not null,
  primary key (workspace_id, kind, id)
);
create table billing_totals (
  workspace_id uuid not null,
  kind         text not null check (kind in ('subscription', 'dunning_campaign')),
  status       text not null,
  currency     text not null,
  objects      int8 not null,
  amount       int8 not null,
  primary key (workspace_id, kind, status, currency)
);
-- What changed on a day of the world's time, UTC.
create table billing_days (
  workspace_id     uuid not null,
  day_on           text not null check (day_on ~ '^\d{4}-\d{2}-\d{2}$'),
  currency         text not null,
  mrr_change       int8 not null,
  active_change    int8 not null,
  recovered        int8 not null,
  recovered_amount int8 not null,
  primary key (workspace_id, day_on, currency)
);

-- Every workspace is counted from its first moment, whoever makes it.
create function begin_counting() returns trigger
language plpgsql as $$
begin
  insert into report_cursors (workspace_id, id, due_at) values (new.workspace_id, new.workspace_id, new.created_at);
  return null;
end
$$;
create trigger workspaces_are_counted after insert on workspaces for each row execute function begin_counting();

-- Those that are there begin with what the event log still holds, and with the subscriptions they have. The owner of
-- the tables sees rows of workspaces only while he is exempt.
alter table workspaces no force row level security;
insert into report_cursors (workspace_id, id, walked_to, due_at)
  select workspace_id, workspace_id, '00000000-0000-0000-0000-000000000000', created_at from workspaces;
alter table workspaces force row level security;

do $$
declare
  name text;
begin
  foreach name in array array['report_cursors', 'payment_figures', 'billing_shares', 'billing_totals', 'billing_days'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on report_cursors for select to switchyard_due using (true);
grant select, insert, update on report_cursors, payment_figures, billing_shares, billing_totals, billing_days
  to switchyard_app;
grant select (workspace_id, id, due_at) on report_cursors to switchyard_due;

-- What people search by: whole words that something is known by elsewhere.

-- Written with the payment. Under row-level security an expression over the card would never use an index.
alter table payments add column card_last4 text;
alter table payments no force row level security;
alter table payments disable trigger payments_change_is_told;
update payments set card_last4 = card ->> 'last4';
alter table payments enable trigger payments_change_is_told;
alter table payments force row level security;
-- Not while it is under way, which is a moment: each write of a payment would cost more. Those of which nothing is
-- known have an index of their own.
create index payments_by_card on payments (workspace_id, card_last4, amount, id)
  where card_last4 is not null and status <> 'processing';
-- Refunds that nobody asked for here. What was asked for is found by its operation.
create index refunds_by_provider_reference on refunds (workspace_id, provider_reference, id)
  where provider_reference is not null and source = 'provider';
create index invoices_by_number on invoices (workspace_id, number) where number is not null;

-- What needs a person. Each holds what is wrong now and nothing else.
create index payments_unresolved on payments (workspace_id, unresolved_since_at) where unresolved_since_at is not null;
create index refunds_in_review on refunds (workspace_id, id) where review is not null;
create index subscriptions_parked on subscriptions (workspace_id, id) where parked is not null;
create index dunning_campaigns_ending on dunning_campaigns (workspace_id, ends_at)
  where status = 'running' and test_clock_id is null;
