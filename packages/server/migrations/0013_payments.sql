-- Payments: one instrument, one intent. Their attempts, operations and refunds lie in the partition of the
-- payment, so one range of ids holds the whole story, and rules per payment can be unique indexes.

create table provider_accounts (
  workspace_id  uuid not null,
  id            uuid not null,
  provider      text not null,
  status        text not null check (status in ('active', 'disabled', 'archived')),
  display_name  text not null check (display_name <> ''),
  -- In which order the default route asks them; lower first.
  position      int not null,
  -- Settings that are no secret.
  config        jsonb not null default '{}',
  -- Secrets, sealed, as JSON.
  credentials   bytea,
  card_data     text not null check (card_data in ('pan', 'token')),
  capabilities  jsonb not null,
  hold_reason   text,
  hold_until_at timestamptz,
  checked_at    timestamptz,
  metadata      jsonb not null default '{}',
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  version       int not null default 1,
  sequence      int not null default 1,
  primary key (workspace_id, id),
  -- A forgotten hold is an outage, so each has an end.
  check ((hold_reason is null) = (hold_until_at is null))
);
create index provider_accounts_in_order on provider_accounts (workspace_id, position, id) where status = 'active';
create constraint trigger provider_accounts_change_is_told after insert or update on provider_accounts
  deferrable initially deferred for each row execute function change_is_told();

create table payment_methods (
  workspace_id           uuid not null,
  id                     uuid not null,
  status                 text not null check (status in ('authorized', 'attached', 'detached')),
  type                   text not null check (type in ('card')),
  customer_id            uuid,
  -- What may be shown: brand, last4, exp_month, exp_year, funding, country, bin.
  card                   jsonb not null,
  fingerprint            text,
  -- Where the number lies in the vault; null if a provider holds it, or it was destroyed.
  vault_card_id          uuid,
  billing_details        jsonb,
  usage                  text not null check (usage in ('on_session', 'off_session')),
  -- The payment that verified it.
  verified_by_payment_id uuid,
  verified_at            timestamptz not null,
  provider_account_id    uuid,
  network_transaction_id text,
  detached_reason        text check (detached_reason in ('requested', 'never_attached', 'customer_deleted')),
  metadata               jsonb not null default '{}',
  due_at                 timestamptz,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  version                int not null default 1,
  sequence               int not null default 1,
  primary key (workspace_id, id),
  constraint attached_has_customer check ((status = 'attached') <= (customer_id is not null)),
  constraint detached_holds_no_card check (status <> 'detached' or (vault_card_id is null and detached_reason is not null))
);
create index payment_methods_of_customer on payment_methods (workspace_id, customer_id, id) where status = 'attached';
create index payment_methods_due on payment_methods (due_at) where due_at is not null;
create constraint trigger payment_methods_change_is_told after insert or update on payment_methods
  deferrable initially deferred for each row execute function change_is_told();

-- Tokens that providers gave for a card, usable at that account alone.
create table payment_method_provider_tokens (
  workspace_id        uuid not null,
  payment_method_id   uuid not null,
  provider_account_id uuid not null,
  sealed              bytea not null,
  created_at          timestamptz not null,
  primary key (workspace_id, payment_method_id, provider_account_id)
);

-- A change that the world can see needs its event; bookkeeping of the version alone does not.
create function visible_change_is_told() returns trigger
language plpgsql as $$
declare
  bookkeeping constant text[] := array['version', 'updated_at', 'due_at', 'unresolved_since_at', 'unresolved_told',
    'last_error', 'cancel_requested_at', 'attempts_count', 'provider_account_id', 'provider_reference'];
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

create table payments (
  workspace_id           uuid not null,
  id                     uuid not null,
  status                 text not null check (status in
    ('processing', 'requires_action', 'requires_capture', 'succeeded', 'failed', 'cancelled')),
  purpose                text not null check (purpose in ('payment', 'verification')),
  amount                 int8 not null check (amount <= 999999999999
    and (amount > 0 or (amount = 0 and purpose = 'verification'))),
  currency               text not null check (currency ~ '^[a-z]{3}$'),
  amount_capturable      int8 not null default 0 check (amount_capturable >= 0),
  amount_captured        int8 not null default 0 check (amount_captured >= 0),
  amount_refunding       int8 not null default 0 check (amount_refunding >= 0),
  amount_refunded        int8 not null default 0 check (amount_refunded >= 0),
  capture_method         text not null check (capture_method in ('automatic', 'manual')),
  initiator              text not null check (initiator in ('customer', 'merchant')),
  three_d_secure         text not null check (three_d_secure in ('auto', 'required')),
  customer_id            uuid,
  payment_method_id      uuid,
  -- What is shown of the card, and where its number lies.
  card                   jsonb not null,
  fingerprint            text,
  vault_card_id          uuid,
  token_id               uuid,
  save_payment_method    boolean not null default false,
  usage                  text check (usage in ('on_session', 'off_session')),
  provider_account_id    uuid,
  provider_reference     text,
  network_transaction_id text,
  attempts_count         int not null default 0 check (attempts_count between 0 and 5),
  capture_before_at      timestamptz,
  return_url             text,
  -- {type, url, expires_at}
  next_action            jsonb,
  unresolved_since_at    timestamptz,
  unresolved_told        boolean not null default false,
  failure                jsonb,
  last_error             jsonb,
  cancel_requested_at    timestamptz,
  review                 text check (review in ('needs_review', 'conflict')),
  order_reference        text,
  statement_descriptor   text,
  description            text,
  billing_details        jsonb,
  metadata               jsonb not null default '{}',
  due_at                 timestamptz,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  version                int not null default 1,
  sequence               int not null default 1,
  primary key (workspace_id, id),
  constraint holds_at_most_its_amount check (amount_capturable + amount_captured <= amount),
  constraint refunds_at_most_what_it_took check (amount_refunding + amount_refunded <= amount_captured),
  constraint failed_holds_nothing check (status not in ('failed', 'cancelled') or amount_capturable + amount_captured = 0),
  constraint succeeded_took_something check (status <> 'succeeded' or amount_captured > 0 or purpose = 'verification'),
  constraint action_is_waited_for check ((status = 'requires_action') = (next_action is not null))
) partition by range (id);
create index payments_of_customer on payments (workspace_id, customer_id, id) where customer_id is not null;
create index payments_due on payments (due_at) where due_at is not null;

create table payment_attempts (
  workspace_id        uuid not null,
  payment_id          uuid not null,
  id                  uuid not null,
  number              int not null check (number between 1 and 5),
  status              text not null check (status in ('started', 'requires_action', 'unresolved', 'authorized',
    'captured', 'declined', 'failed', 'voided', 'expired')),
  provider_account_id uuid not null,
  provider_reference  text,
  decline             jsonb,
  -- Why this account: what was considered and passed over.
  trace               jsonb not null,
  card_fingerprint    text,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             int not null default 1,
  sequence            int not null default 0,
  primary key (workspace_id, payment_id, id),
  unique (workspace_id, payment_id, number)
) partition by range (payment_id);
-- At most one attempt of a payment can hold or take money, or may yet.
create unique index one_live_attempt on payment_attempts (workspace_id, payment_id)
  where status in ('started', 'requires_action', 'unresolved', 'authorized', 'captured');

create table operations (
  workspace_id        uuid not null,
  payment_id          uuid not null,
  id                  uuid not null,
  attempt_id          uuid not null,
  refund_id           uuid,
  kind                text not null check (kind in ('verify', 'authorize', 'capture', 'void', 'refund')),
  number              int not null,
  -- Idempotency key and merchant reference in one, for ever.
  reference           text not null,
  status              text not null check (status in ('sending', 'pending', 'awaiting_customer', 'unknown',
    'needs_review', 'succeeded', 'declined', 'rejected', 'not_sent', 'not_processed')),
  amount              int8 not null check (amount >= 0),
  currency            text not null,
  -- Whether an authorization takes the money at once; whether a capture is the last.
  capture             boolean not null default false,
  final               boolean not null default true,
  provider_account_id uuid not null,
  provider_reference  text,
  request_hash        bytea,
  -- Until then its sender may send, and nobody else touches it.
  lease_until         timestamptz not null,
  -- Until then a repeat may still complete it.
  complete_before_at  timestamptz,
  checks              int not null default 0,
  fault               jsonb,
  decline             jsonb,
  due_at              timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             int not null default 1,
  primary key (workspace_id, payment_id, id),
  unique (workspace_id, payment_id, number)
) partition by range (payment_id);
create index operations_due on operations (due_at) where due_at is not null;
create unique index one_open_operation on operations (workspace_id, payment_id, attempt_id)
  where kind <> 'refund' and status in ('sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review');
create unique index one_open_refund on operations (workspace_id, payment_id, refund_id)
  where kind = 'refund' and status in ('sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review');
create unique index one_approval on operations (workspace_id, payment_id)
  where kind in ('authorize', 'verify') and status = 'succeeded';

create table refunds (
  workspace_id        uuid not null,
  payment_id          uuid not null,
  id                  uuid not null,
  status              text not null check (status in ('pending', 'succeeded', 'failed')),
  amount              int8 not null check (amount > 0),
  currency            text not null,
  reason              text not null check (reason in ('requested_by_customer', 'duplicate', 'fraudulent', 'other')),
  source              text not null check (source in ('api', 'provider', 'automatic')),
  provider_reference  text,
  failure             jsonb,
  unresolved_since_at timestamptz,
  metadata            jsonb not null default '{}',
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             int not null default 1,
  sequence            int not null default 1,
  primary key (workspace_id, payment_id, id)
) partition by range (payment_id);
create index refunds_by_id on refunds (workspace_id, id);

-- One payment per order that is not failed or cancelled. An index on payments could not span its partitions.
create table order_claims (
  workspace_id    uuid not null,
  order_reference text not null,
  payment_id      uuid not null,
  primary key (workspace_id, order_reference)
);

-- What providers told us by themselves: stored first, understood later.
create table provider_events (
  workspace_id        uuid not null,
  id                  uuid not null,
  provider_account_id uuid not null,
  dedupe_key          text not null,
  verdict             text not null check (verdict in ('valid', 'unsigned')),
  event               jsonb not null,
  tries               int not null default 0,
  outcome             text,
  due_at              timestamptz,
  created_at          timestamptz not null,
  version             int not null default 1,
  primary key (workspace_id, id)
) partition by range (id);
create index provider_events_due on provider_events (due_at) where due_at is not null;

-- The world contradicts our books. A person decides; nothing is overwritten.
create table conflicts (
  workspace_id uuid not null,
  id           uuid not null,
  payment_id   uuid not null,
  operation_id uuid,
  kind         text not null,
  detail       text not null,
  created_at   timestamptz not null,
  resolved_at  timestamptz,
  primary key (workspace_id, id)
);
create index conflicts_of_payment on conflicts (workspace_id, payment_id);

do $$
declare
  name text;
begin
  foreach name in array array['payments', 'refunds'] loop
    execute format('create constraint trigger %I after insert or update on %I
      deferrable initially deferred for each row execute function visible_change_is_told()',
      name || '_change_is_told', name);
  end loop;
  foreach name in array array['provider_accounts', 'payment_methods', 'payment_method_provider_tokens', 'payments',
    'payment_attempts', 'operations', 'refunds', 'order_claims', 'provider_events', 'conflicts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
  foreach name in array array['payment_methods', 'payments', 'operations', 'provider_events'] loop
    execute format('create policy due_anywhere on %I for select to switchyard_due using (true)', name);
  end loop;
end
$$;
grant select, insert, update on provider_accounts, payment_methods, payments, payment_attempts, operations, refunds,
  provider_events, conflicts to switchyard_app;
grant select, insert, delete on payment_method_provider_tokens, order_claims to switchyard_app;
grant select (workspace_id, id, due_at) on payment_methods, payments, provider_events to switchyard_due;
grant select (workspace_id, payment_id, due_at) on operations to switchyard_due;
