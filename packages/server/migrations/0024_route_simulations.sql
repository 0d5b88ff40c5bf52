-- Dry runs of a payment route over payments that there were. They read in pages and remember how far they got.

create table route_simulations (
  workspace_id     uuid not null,
  id               uuid not null,
  payment_route_id uuid not null,
  revision         int not null check (revision >= 1),
  -- What it is compared with. Null: the order of the accounts.
  against          int check (against >= 1),
  from_at          timestamptz not null,
  to_at            timestamptz not null,
  payments         text not null check (payments in ('route', 'all')),
  status           text not null check (status in ('running', 'completed', 'cancelled')),
  -- How many payments there are to be looked at; null until they are counted.
  total            int check (total >= 0),
  done             int not null default 0 check (done >= 0),
  -- The id of the last payment that was counted or looked at.
  cursor           uuid,
  -- What was counted so far. It holds figures per account and segment, and a few examples.
  tally            json,
  result           json,
  -- While somebody is at it this is the end of a lease, and moves on.
  due_at           timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  completed_at     timestamptz,
  version          int not null default 1,
  sequence         int not null default 1,
  primary key (workspace_id, id),
  constraint begins_before_it_ends check (from_at <= to_at),
  constraint runs_or_is_over check ((status = 'running') = (due_at is not null)
    and (status = 'running') = (completed_at is null)),
  constraint completed_has_a_result check ((status = 'completed') = (result is not null))
);
-- Two at a time would take twice as long, each.
create unique index one_running_simulation on route_simulations (workspace_id, payment_route_id)
  where status = 'running';
create index route_simulations_of_route on route_simulations (workspace_id, payment_route_id, id);
create index route_simulations_due on route_simulations (due_at) where due_at is not null;

create constraint trigger route_simulations_beginning_is_told after insert on route_simulations
  deferrable initially deferred for each row execute function change_is_told();
-- Progress is shown to whoever asks, and told to nobody.
create constraint trigger route_simulations_end_is_told after update on route_simulations
  deferrable initially deferred for each row
  when (new.status is distinct from old.status or new.sequence is distinct from old.sequence)
  execute function change_is_told();

alter table route_simulations enable row level security;
alter table route_simulations force row level security;
create policy own_workspace on route_simulations to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on route_simulations to switchyard_app;
create policy due_anywhere on route_simulations for select to switchyard_due using (true);
grant select (workspace_id, id, due_at) on route_simulations to switchyard_due;
