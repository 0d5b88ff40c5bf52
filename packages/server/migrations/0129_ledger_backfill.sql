-- Objects that were changed before the ledger existed have no postings. Work `ledger.backfill` walks through the objects of
-- each workspace and posts what is missing.

create table ledger_backfills (
  workspace_id    uuid primary key,
  -- The same again: work is dispatched by it.
  id              uuid not null check (id = workspace_id),
  -- What the walk reads now, and the last object that it has read.
  stage           text not null default 'payments' check (stage in ('payments', 'invoices', 'credit_entries')),
  after_id        uuid not null default '00000000-0000-0000-0000-000000000000',
  -- When the current walk began; null before it begins.
  walk_started_at timestamptz,
  -- Whether the current walk has found something that was not posted, or an object that was locked.
  found_missing   boolean not null default false,
  created_at      timestamptz not null default now(),
  due_at          timestamptz,
  done_at         timestamptz,
  constraint due_until_done check ((due_at is null) = (done_at is not null))
);
create index ledger_backfills_due on ledger_backfills (due_at) where due_at is not null;

alter table ledger_backfills enable row level security;
alter table ledger_backfills force row level security;
create policy own_workspace on ledger_backfills to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on ledger_backfills for select to switchyard_due using (true);
grant select, insert, update on ledger_backfills to switchyard_app;
grant select (workspace_id, id, due_at) on ledger_backfills to switchyard_due;

alter table workspaces no force row level security;
alter table ledger_backfills no force row level security;
insert into ledger_backfills (workspace_id, id, due_at) select workspace_id, workspace_id, now() from workspaces;

-- While an installation is upgraded, a process of the version before can change objects of a new workspace. So the
-- workspaces of the next day are walked through as well. A new installation needs none of this.
do $$
begin
  if exists (select from workspaces) then
    execute format($function$
      create function begin_ledger_backfill() returns trigger
      language plpgsql as $body$
      begin
        if now() < %L::timestamptz then
          insert into ledger_backfills (workspace_id, id, due_at) values (new.workspace_id, new.workspace_id, now());
        end if;
        return null;
      end
      $body$
    $function$, now() + interval '1 day');
    create trigger workspaces_are_backfilled after insert on workspaces
      for each row execute function begin_ledger_backfill();
  end if;
end
$$;
alter table workspaces force row level security;
alter table ledger_backfills force row level security;
