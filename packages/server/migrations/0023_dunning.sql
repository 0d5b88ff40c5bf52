-- Dunning: how an invoice that could not be collected is tried again, and what happens in the end.

create table dunning_policies (
  workspace_id       uuid not null,
  id                 uuid not null,
  name               text not null check (name <> ''),
  -- Days after the first failure.
  retry_days         int[] not null check (cardinality(retry_days) between 1 and 12),
  local_hour         int not null check (local_hour between 0 and 23),
  jitter_minutes     int not null check (jitter_minutes between 0 and 120),
  grace              text not null check (grace in ('campaign', 'none')),
  final_subscription text not null check (final_subscription in ('pause', 'cancel', 'mark_unpaid', 'keep')),
  final_invoice      text not null check (final_invoice in ('leave_open', 'uncollectible', 'void')),
  metadata           jsonb not null default '{}',
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  version            int not null default 1,
  sequence           int not null default 1,
  primary key (workspace_id, id)
);
create constraint trigger dunning_policies_change_is_told after insert or update on dunning_policies
  deferrable initially deferred for each row execute function change_is_told();

create table dunning_campaigns (
  workspace_id    uuid not null,
  id              uuid not null,
  invoice_id      uuid not null,
  subscription_id uuid not null,
  customer_id     uuid not null,
  status          text not null check (status in ('running', 'recovered', 'exhausted', 'stopped')),
  -- As it was when the campaign began: what is changed later holds for later ones.
  policy          jsonb not null,
  failed_at       timestamptz not null,
  -- [{due_at, planned_at, moved, attempted_at, payment_id, code}]: when it is tried, why then, and what came of it.
  steps           jsonb not null,
  -- Nobody tries by itself any more: the customer has to act, or there has to be another card.
  waits_for       text check (waits_for in ('customer', 'new_card')),
  ends_at         timestamptz not null,
  ended_at        timestamptz,
  due_at          timestamptz,
  test_clock_id   uuid,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  version         int not null default 1,
  sequence        int not null default 1,
  primary key (workspace_id, id),
  constraint running_has_not_ended check ((status = 'running') = (ended_at is null)),
  constraint running_is_looked_at check ((status = 'running') = (due_at is not null))
);
create unique index one_campaign_per_invoice on dunning_campaigns (workspace_id, invoice_id);
create index dunning_campaigns_by_status on dunning_campaigns (workspace_id, status, id);
create index dunning_campaigns_of_subscription on dunning_campaigns (workspace_id, subscription_id, id);
create index dunning_campaigns_due on dunning_campaigns (due_at) where due_at is not null and test_clock_id is null;
create index dunning_campaigns_due_on_clock on dunning_campaigns (test_clock_id, due_at)
  where due_at is not null and test_clock_id is not null;
create constraint trigger dunning_campaigns_change_is_told after insert or update on dunning_campaigns
  deferrable initially deferred for each row execute function change_is_told_but_for('version', 'updated_at', 'due_at',
    'steps', 'waits_for');

do $$
declare
  name text;
begin
  foreach name in array array['dunning_policies', 'dunning_campaigns'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on dunning_campaigns for select to switchyard_due using (true);
grant select, insert, update on dunning_policies, dunning_campaigns to switchyard_app;
grant select (workspace_id, id, due_at, test_clock_id) on dunning_campaigns to switchyard_due;
