-- Payment links, the checkout sessions that payers open by them, and what keeps those who try out stolen cards away.

-- How the workspace shows itself to payers: {display_name, logo_url, accent_color}. Null: by its name alone.
alter table workspaces add column branding jsonb;

-- What a payment was made for. The session waits for its end.
alter table payments add column checkout_session_id uuid;
alter table payments add column payment_link_id uuid;
grant select (status, updated_at) on payments to switchyard_due;

create table payment_links (
  workspace_id     uuid not null,
  id               uuid not null,
  status           text not null check (status in ('active', 'inactive', 'completed', 'expired')),
  currency         text not null check (currency ~ '^[a-z]{3}$'),
  -- One of the three says what is to be paid.
  amount           int8 check (amount between 1 and 999999999999),
  open_amount      jsonb,
  line_items       jsonb,
  -- Null: without end.
  max_completions  int check (max_completions > 0),
  customer_id      uuid,
  payment_route_id uuid,
  capture_method   text not null check (capture_method in ('automatic', 'manual')),
  collect          jsonb not null default '[]',
  custom_fields    jsonb not null default '[]',
  after_completion jsonb not null,
  locale           text,
  description      text,
  metadata         jsonb not null default '{}',
  expires_at       timestamptz not null,
  due_at           timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  version          int not null default 1,
  sequence         int not null default 1,
  primary key (workspace_id, id),
  constraint one_price check (num_nonnulls(amount, open_amount, line_items) = 1),
  constraint only_active_expires check (due_at is null or status = 'active')
);
create index payment_links_by_status on payment_links (workspace_id, status, id);
create index payment_links_due on payment_links (due_at) where due_at is not null;
create constraint trigger payment_links_change_is_told after insert or update on payment_links
  deferrable initially deferred for each row execute function change_is_told();

-- The places of a link, apart from it: payers take and return them at a rate at which nobody changes links. That no
-- more can pay than there are places for is this constraint, whatever the code believes.
create table payment_link_places (
  workspace_id    uuid not null,
  payment_link_id uuid not null,
  max_completions int,
  reserved        int not null default 0 check (reserved >= 0),
  completed       int not null default 0 check (completed >= 0),
  primary key (workspace_id, payment_link_id),
  constraint no_more_than_there_are_places check (max_completions is null or reserved + completed <= max_completions)
);

create table checkout_sessions (
  workspace_id     uuid not null,
  id               uuid not null,
  payment_link_id  uuid,
  status           text not null check (status in ('open', 'processing', 'completed', 'expired')),
  currency         text not null check (currency ~ '^[a-z]{3}$'),
  -- Of an open amount, null until the payer has chosen one.
  amount           int8 check (amount between 1 and 999999999999),
  open_amount      jsonb,
  line_items       jsonb,
  customer_id      uuid,
  payment_route_id uuid,
  capture_method   text not null check (capture_method in ('automatic', 'manual')),
  collect          jsonb not null default '[]',
  custom_fields    jsonb not null default '[]',
  success_url      text,
  success_message  text,
  cancel_url       text,
  locale           text,
  description      text,
  metadata         jsonb not null default '{}',
  -- The payment that is under way, and the last one that was tried.
  live_payment_id  uuid,
  payment_id       uuid,
  -- How often a payment failed, by which cards it was tried, and by which presses of the button.
  declines         int not null default 0 check (declines between 0 and 5),
  cards            jsonb not null default '[]',
  presses          jsonb not null default '[]',
  live_try_id      uuid,
  -- What the payer typed beside the card.
  payer            jsonb,
  receipt_due_at   timestamptz,
  receipt_sent_at  timestamptz,
  completed_at     timestamptz,
  expires_at       timestamptz not null,
  due_at           timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  version          int not null default 1,
  sequence         int not null default 1,
  primary key (workspace_id, id),
  constraint one_live_payment check ((status = 'processing') = (live_payment_id is not null)),
  constraint only_open_expires check ((status = 'open') = (due_at is not null)),
  constraint completed_has_payment check (status <> 'completed' or (payment_id is not null and completed_at is not null))
) partition by range (id);
create index checkout_sessions_of_link on checkout_sessions (workspace_id, payment_link_id, id)
  where payment_link_id is not null;
create index checkout_sessions_due on checkout_sessions (due_at) where due_at is not null;
create index checkout_sessions_receipts on checkout_sessions (receipt_due_at) where receipt_due_at is not null;
-- Only as many as payments are under way.
create index checkout_sessions_live on checkout_sessions (live_payment_id) where live_payment_id is not null;

-- That somebody is paying is nothing to tell: it is over a moment later, and the payment tells how it went.
create function session_change_is_told() returns trigger
language plpgsql as $$
declare
  bookkeeping constant text[] := array['version', 'updated_at', 'due_at', 'status', 'amount', 'live_payment_id',
    'payment_id', 'declines', 'cards', 'presses', 'live_try_id', 'payer', 'receipt_due_at', 'receipt_sent_at'];
begin
  if tg_op = 'UPDATE' and new.sequence = old.sequence then
    if (to_jsonb(new) - bookkeeping) <> (to_jsonb(old) - bookkeeping)
      or (new.status <> old.status and new.status in ('completed', 'expired')) then
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
create constraint trigger checkout_sessions_change_is_told after insert or update on checkout_sessions
  deferrable initially deferred for each row execute function session_change_is_told();

-- Tries of payers, counted over all servers. An address is kept as a keyed hash of its network.
create table checkout_tries (
  workspace_id        uuid not null,
  id                  uuid not null,
  checkout_session_id uuid not null,
  -- Whose declines are looked at together: the link, or the workspace if there is none.
  scope_id            uuid not null,
  network             text,
  card                text,
  -- `open`: not known yet. `released`: nobody was asked.
  result              text not null check (result in ('open', 'approved', 'declined', 'released')),
  created_at          timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
create index checkout_tries_of_network on checkout_tries (workspace_id, network, created_at) where network is not null;
create index checkout_tries_of_card on checkout_tries (workspace_id, card, created_at) where card is not null;
create index checkout_tries_of_scope on checkout_tries (workspace_id, scope_id, id)
  where result in ('approved', 'declined');

-- Takes the locks of a network and of a card, in this order, tells how often each was tried lately and how the last
-- tries of the scope ended, and writes the new one. Whether it may be made, the code decides; if not, all is undone.
create function take_checkout_try(
  try_workspace uuid, try_id uuid, try_session uuid, try_scope uuid, try_network text, try_card text,
  try_at timestamptz, network_since timestamptz, card_since timestamptz, most int,
  out network_tries int, out network_first timestamptz, out card_tries int, out card_first timestamptz,
  out ended int, out declined int)
language plpgsql as $$
declare
  -- Ids are dated by the wall, so two or three partitions are read.
  floor constant uuid := uuid_floor(transaction_timestamp() - interval '2 days');
begin
  if try_network is not null then
    perform pg_advisory_xact_lock(hashtextextended('checkout network ' || try_workspace || try_network, 0));
  end if;
  if try_card is not null then
    perform pg_advisory_xact_lock(hashtextextended('checkout card ' || try_workspace || try_card, 0));
  end if;
  select count(one.created_at), min(one.created_at) into network_tries, network_first from checkout_tries as one
    where one.workspace_id = try_workspace and one.network = try_network and one.created_at > network_since
      and one.id >= floor;
  select count(one.created_at), min(one.created_at) into card_tries, card_first from checkout_tries as one
    where one.workspace_id = try_workspace and one.card = try_card and one.created_at > card_since and one.id >= floor;
  select count(last.result), count(last.result) filter (where last.result = 'declined') into ended, declined from (
    select one.result from checkout_tries as one
    where one.workspace_id = try_workspace and one.scope_id = try_scope and one.result in ('approved', 'declined')
      and one.id >= floor
    order by one.id desc limit most) as last;
  insert into checkout_tries (workspace_id, id, checkout_session_id, scope_id, network, card, result, created_at)
    values (try_workspace, try_id, try_session, try_scope, try_network, try_card, 'open', try_at);
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['payment_links', 'payment_link_places', 'checkout_sessions', 'checkout_tries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
  foreach name in array array['payment_links', 'checkout_sessions'] loop
    execute format('create policy due_anywhere on %I for select to switchyard_due using (true)', name);
  end loop;
end
$$;
grant select, insert, update on payment_links, payment_link_places, checkout_sessions, checkout_tries
  to switchyard_app;
grant select (workspace_id, id, due_at) on payment_links to switchyard_due;
grant select (workspace_id, id, due_at, receipt_due_at, live_payment_id) on checkout_sessions to switchyard_due;
