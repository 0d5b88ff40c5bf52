-- How accounts of providers fare, and how often a card may still be tried.

-- The breaker of an account: one for authorizations, one for the rest. A row that is missing is closed.
create table provider_health (
  workspace_id           uuid not null,
  provider_account_id    uuid not null,
  lane                   text not null check (lane in ('authorize', 'rest')),
  state                  text not null check (state in ('closed', 'open')),
  opened_at              timestamptz,
  -- From then on it is probed.
  open_until_at          timestamptz,
  next_probe_at          timestamptz,
  closed_at              timestamptz,
  -- How often it opened without having been well for a while in between: each time it stays open for longer.
  trips                  int not null default 0 check (trips >= 0),
  -- Good results in a row since it is probed.
  good                   int not null default 0 check (good >= 0),
  -- When it was last told that the provider refuses our credentials.
  credentials_refused_at timestamptz,
  version                int not null default 1,
  primary key (workspace_id, provider_account_id, lane),
  constraint open_is_probed check ((state = 'open') = (next_probe_at is not null)),
  constraint open_has_times check (state <> 'open' or (opened_at is not null and open_until_at is not null))
);
-- Every process reads all of it once a second, so it holds what is open and nothing else.
create index provider_health_open on provider_health (next_probe_at) where state = 'open';

-- What became of the calls to an account, by the minute. Processes add to it every few seconds.
create table provider_health_minutes (
  workspace_id        uuid not null,
  provider_account_id uuid not null,
  lane                text not null check (lane in ('authorize', 'rest')),
  -- The smallest id of the minute: tables are cut by ids.
  id                  uuid not null,
  at                  timestamptz not null,
  attempts            int not null,
  approved            int not null,
  declined            int not null,
  technical           int not null,
  unknown             int not null,
  -- How many answers took how long, by the steps of the code.
  latency             int[] not null,
  primary key (workspace_id, provider_account_id, lane, id)
) partition by range (id);

-- The lock of a card, over all providers: whoever is about to try it takes its row first.
create table card_budgets (
  workspace_id uuid not null,
  -- The fingerprint; of a card whose number we do not know, the id of its payment method.
  card_key     text not null,
  -- The rule by which nothing may be tried with it any more, until a time or for ever.
  barred_by    text,
  barred_until timestamptz,
  created_at   timestamptz not null,
  primary key (workspace_id, card_key),
  constraint a_time_needs_a_rule check (barred_until is null or barred_by is not null)
);

-- Attempts as the card networks count them. The id is that of the attempt of the payment.
create table network_attempts (
  workspace_id uuid not null,
  id           uuid not null,
  payment_id   uuid not null,
  card_key     text not null,
  amount       int8 not null check (amount >= 0),
  currency     text not null,
  initiator    text not null check (initiator in ('customer', 'merchant')),
  -- `open`: it may yet be declined, so it counts. `released`: it never reached the network. `refused`: by us.
  result       text not null check (result in ('open', 'approved', 'declined', 'released', 'refused')),
  network_code text,
  advice_code  text,
  created_at   timestamptz not null,
  ended_at     timestamptz,
  primary key (workspace_id, id),
  constraint what_is_over_has_ended check ((result = 'open') = (ended_at is null))
) partition by range (id);
create index network_attempts_of_amount on network_attempts (workspace_id, card_key, amount, currency, created_at)
  where result in ('open', 'approved', 'declined');
create index network_attempts_of_card on network_attempts (workspace_id, card_key, created_at)
  where result in ('open', 'declined');

-- Takes the lock of a card, tells what was tried with it, newest first, and writes the new attempt: one round trip
-- for what has to happen in this order. Each statement of a function sees what was committed before it began, so
-- what is read under the lock is what its last holder left. Whether the attempt may be made, the code decides.
create function reserve_network_slot(
  slot_workspace uuid, slot_id uuid, slot_payment uuid, slot_card text, slot_amount int8, slot_currency text,
  slot_initiator text, slot_at timestamptz, since timestamptz, most int,
  out barred_by text, out barred_until timestamptz, out same_amount jsonb, out any_amount jsonb)
language plpgsql as $$
declare
  -- Ids are dated by the wall. Nothing that counts is older than this, so two or three partitions are read.
  floor constant uuid := uuid_floor(transaction_timestamp() - interval '40 days');
begin
  insert into card_budgets (workspace_id, card_key, created_at)
    values (slot_workspace, slot_card, slot_at) on conflict do nothing;
  if found then
    -- Nobody has tried this card before, and nobody else can until we are done.
    same_amount := '[]';
    any_amount := '[]';
  else
    select budget.barred_by, budget.barred_until into barred_by, barred_until from card_budgets as budget
      where budget.workspace_id = slot_workspace and budget.card_key = slot_card for update;
    select coalesce(jsonb_agg(to_jsonb(earlier)), '[]') into same_amount from (
      select attempt.result, attempt.advice_code, attempt.created_at, attempt.ended_at from network_attempts as attempt
      where attempt.workspace_id = slot_workspace and attempt.card_key = slot_card and attempt.amount = slot_amount
        and attempt.currency = slot_currency and attempt.result in ('open', 'approved', 'declined')
        and attempt.created_at > since and attempt.id >= floor
      order by attempt.created_at desc limit most) as earlier;
    select coalesce(jsonb_agg(to_jsonb(earlier)), '[]') into any_amount from (
      select attempt.result, attempt.created_at, attempt.ended_at from network_attempts as attempt
      where attempt.workspace_id = slot_workspace and attempt.card_key = slot_card
        and attempt.result in ('open', 'declined') and attempt.created_at > since and attempt.id >= floor
      order by attempt.created_at desc limit most) as earlier;
  end if;
  insert into network_attempts
    (workspace_id, id, payment_id, card_key, amount, currency, initiator, result, created_at)
    values (slot_workspace, slot_id, slot_payment, slot_card, slot_amount, slot_currency, slot_initiator, 'open',
      slot_at);
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['provider_health', 'card_budgets', 'network_attempts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on provider_health for select to switchyard_due using (true);
grant select, insert, update on provider_health, card_budgets, network_attempts to switchyard_app;
grant select (workspace_id, provider_account_id, lane, state, open_until_at, next_probe_at) on provider_health
  to switchyard_due;

-- Figures of many workspaces are added together, by the role that does the same for the request log.
alter table provider_health_minutes enable row level security;
alter table provider_health_minutes force row level security;
create policy own_workspace on provider_health_minutes for select to switchyard_app
  using (workspace_id = current_workspace());
create policy add_figures on provider_health_minutes to switchyard_log using (true) with check (true);
grant select on provider_health_minutes to switchyard_app;
grant select, insert, update on provider_health_minutes to switchyard_log;
