-- Budgets for declined payments at payment pages, one row per network, card, link and workspace and day. A try takes one
-- unit before a provider is called; an approval returns it. What a row means is decided in `checkout-sessions/limits.ts`.
-- All rows of a day have the same id, the first one of that day, so they are dropped with their partition.
create table checkout_budgets (
  workspace_id uuid not null,
  id           uuid not null,
  -- Addresses are kept as keyed hashes.
  key          text not null,
  -- Units in use as of updated_at. Negative: approvals outweigh declines.
  level        double precision not null default 0,
  -- The same for tries of networks without recent declines, once `level` has reached its budget.
  reserve      double precision not null default 0,
  -- Tries that count for `level` and whose outcome is not known yet.
  open         int not null default 0 check (open >= 0),
  declined_at  timestamptz,
  updated_at   timestamptz not null,
  primary key (workspace_id, id, key)
) partition by range (id);
alter table checkout_budgets enable row level security;
alter table checkout_budgets force row level security;
create policy own_workspace on checkout_budgets to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on checkout_budgets to switchyard_app;

-- The budgets that a try has taken a unit of.
alter table checkout_tries add column budget_id uuid;
alter table checkout_tries add column budgets text[];
alter table checkout_tries add column is_reserve boolean not null default false;

-- Ends a try, once. An approval returns its unit and one more, so honest crowds with a few declines are never slowed;
-- a try that reached no provider returns its unit; a decline keeps it. Rows are locked in the order of their keys, as
-- by whoever takes units.
create function end_checkout_try(ended_workspace uuid, ended_id uuid, ended_result text, ended_at timestamptz)
returns void language plpgsql as $$
declare
  ended checkout_tries;
  returned constant int := case ended_result when 'approved' then 2 when 'released' then 1 else 0 end;
begin
  update checkout_tries set result = ended_result
    where workspace_id = ended_workspace and id = ended_id and result = 'open'
    returning * into ended;
  if ended.budgets is null then
    return;
  end if;
  perform from checkout_budgets as budget
    where budget.workspace_id = ended_workspace and budget.id = ended.budget_id and budget.key = any(ended.budgets)
    order by budget.key for update;
  -- A try from the reserve has taken nothing of the level of its link and workspace.
  update checkout_budgets as budget set reserve = budget.reserve - returned
    where ended.is_reserve and budget.workspace_id = ended_workspace and budget.id = ended.budget_id
      and budget.key = any(ended.budgets) and budget.key ~ '^(link|workspace)';
  update checkout_budgets as budget set
    level = budget.level - returned,
    open = greatest(0, budget.open - 1),
    declined_at = case when ended_result = 'declined' then ended_at else budget.declined_at end
    where budget.workspace_id = ended_workspace and budget.id = ended.budget_id and budget.key = any(ended.budgets)
      and not (ended.is_reserve and budget.key ~ '^(link|workspace)');
end
$$;
