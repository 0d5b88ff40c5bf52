-- What payments remember of themselves beyond their course.

-- How often the same wish was sent before, as an operation of its own.
alter table operations add column resends int not null default 0 check (resends between 0 and 7);

-- A refund that its provider never told about, or about which it says something else.
alter table refunds add column review text check (review in ('needs_review'));

-- Whether it was told that what is held runs out.
alter table payments add column expiring_told boolean not null default false;
-- What providers were told, once somebody has changed what is shown: a repeat has the bytes of the first call.
alter table payments add column sent jsonb;

-- What people look for. Columns of indexes that a payment changes on its ordinary way would make each write dearer.
create index payments_in_review on payments (workspace_id, review, id) where review is not null;
create index payments_of_order on payments (workspace_id, order_reference, id) where order_reference is not null;

-- What was said to providers and how they answered, without a word of either.
create table provider_calls (
  workspace_id        uuid not null,
  id                  uuid not null,
  payment_id          uuid not null,
  operation_id        uuid not null,
  provider_account_id uuid not null,
  step                text not null,
  -- Null if there was no answer.
  status              int,
  outcome             text not null,
  fault               text,
  may_have_been_sent  boolean not null,
  request_bytes       int not null,
  answer_bytes        int not null,
  duration_ms         int not null,
  created_at          timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
create index provider_calls_of_payment on provider_calls (workspace_id, payment_id, id);
alter table provider_calls enable row level security;
alter table provider_calls force row level security;
create policy own_workspace on provider_calls to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert on provider_calls to switchyard_app;
