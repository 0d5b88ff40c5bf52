-- Test clocks: customers of the test environment whose time is moved by hand, and everything that belongs to them.

create table test_clocks (
  workspace_id uuid not null,
  id           uuid not null,
  name         text check (name <> ''),
  status       text not null check (status in ('ready', 'advancing', 'failed')),
  now_at       timestamptz not null,
  -- Where it is going to, while it is on its way.
  target_at    timestamptz,
  -- How many things have happened on it since it was made.
  actions      int not null default 0,
  failure      text,
  metadata     jsonb not null default '{}',
  -- In the world's time: when to look whether something on it is due. Also the end of the lease of whoever moves it.
  due_at       timestamptz,
  deleted_at   timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  version      int not null default 1,
  sequence     int not null default 1,
  primary key (workspace_id, id),
  constraint advancing_has_target check ((status = 'advancing') = (target_at is not null)),
  constraint failed_says_why check ((status = 'failed') = (failure is not null))
);
create index test_clocks_due on test_clocks (due_at) where due_at is not null;

-- Time goes forward, whoever writes it.
create function time_goes_forward() returns trigger
language plpgsql as $$
begin
  if new.now_at < old.now_at then
    raise exception 'test clock %: time went from % back to %', new.id, old.now_at, new.now_at
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger test_clock_goes_forward before update of now_at on test_clocks
  for each row execute function time_goes_forward();

alter table test_clocks enable row level security;
alter table test_clocks force row level security;
create policy own_workspace on test_clocks to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on test_clocks for select to switchyard_due using (true);
grant select, insert, update on test_clocks to switchyard_app;
grant select (workspace_id, id, due_at) on test_clocks to switchyard_due;

alter table customers add column test_clock_id uuid;

-- What happened on a clock, in its order.
alter table events add column test_clock_id uuid;
create index events_of_test_clock on events (workspace_id, test_clock_id, id) where test_clock_id is not null;

-- What lives on a clock is handed out by it, and by nobody else.
alter table payments add column test_clock_id uuid;
alter table operations add column test_clock_id uuid;
drop index payments_due;
drop index operations_due;
create index payments_due on payments (due_at) where due_at is not null and test_clock_id is null;
create index operations_due on operations (due_at) where due_at is not null and test_clock_id is null;
create index payments_due_on_clock on payments (test_clock_id, due_at)
  where due_at is not null and test_clock_id is not null;
create index operations_due_on_clock on operations (test_clock_id, due_at)
  where due_at is not null and test_clock_id is not null;
grant select (test_clock_id) on payments, operations to switchyard_due;
