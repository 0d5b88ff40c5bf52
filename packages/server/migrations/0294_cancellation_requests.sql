-- Cancellations and withdrawals that subscribers declare on a public page, without signing in. A declaration is stored with
-- the time at which it was received. It changes a subscription only after the subscriber has opened the link that is
-- e-mailed to the address of the customer, or after the merchant has accepted it.
create table cancellation_requests (
  workspace_id    uuid not null,
  id              uuid not null,
  type            text not null check (type in ('cancellation', 'extraordinary', 'withdrawal')),
  status          text not null check (status in ('received', 'confirmed', 'completed', 'rejected')),
  -- What the subscriber entered. Erased with the customer.
  name            text check (length(name) between 1 and 200),
  email           text check (length(email) between 3 and 254),
  contract        text check (length(contract) between 1 and 60),
  reason          text check (length(reason) between 1 and 2000),
  -- The day on which the subscriber wants the contract to end. Null: as early as possible.
  requested_end   text check (requested_end ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  -- The subscription that matches; null if none does, or several do.
  subscription_id uuid,
  customer_id     uuid,
  -- Why the merchant rejected it.
  note            text check (length(note) between 1 and 500),
  -- For limits on requests from one network; a keyed hash.
  network_hash    bytea check (length(network_hash) = 32),
  email_hash      bytea not null check (length(email_hash) = 32),
  received_at     timestamptz not null,
  confirmed_at    timestamptz,
  closed_at       timestamptz,
  updated_at      timestamptz not null,
  version         int not null default 1,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  constraint a_confirmed_request_has_a_subscription check (confirmed_at is null or subscription_id is not null),
  constraint a_completed_request_has_a_subscription check (status <> 'completed' or subscription_id is not null),
  constraint closed_has_a_time check ((status in ('completed', 'rejected')) = (closed_at is not null))
);
create index cancellation_requests_open on cancellation_requests (workspace_id, received_at)
  where status in ('received', 'confirmed');
create index cancellation_requests_of_customer on cancellation_requests (workspace_id, customer_id)
  where customer_id is not null;
create index cancellation_requests_by_email on cancellation_requests (workspace_id, email_hash, received_at);
create index cancellation_requests_by_network on cancellation_requests (workspace_id, network_hash, received_at)
  where network_hash is not null;

create constraint trigger cancellation_requests_change_is_told after insert or update on cancellation_requests
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'name', 'email', 'contract', 'reason');

alter table cancellation_requests enable row level security;
alter table cancellation_requests force row level security;
create policy own_workspace on cancellation_requests to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on cancellation_requests to switchyard_app;

-- Deleting a customer erases what they entered.
create function erase_cancellation_requests() returns trigger
language plpgsql as $$
begin
  update cancellation_requests set name = null, email = null, contract = null, reason = null
  where workspace_id = new.workspace_id and customer_id = new.id;
  return null;
end
$$;
create trigger customers_erase_cancellation_requests after update on customers for each row
  when (new.deleted_at is not null and old.deleted_at is null)
  execute function erase_cancellation_requests();
