-- An organization and its workspaces are registered in the control plane before the workspaces are created, and are ready
-- when all of it exists. An organization that stays in `creating` is removed after an hour.
alter table control.organizations
  add column state text not null default 'ready' check (state in ('creating', 'ready'));
create index organizations_creating on control.organizations (created_at) where state = 'creating';
