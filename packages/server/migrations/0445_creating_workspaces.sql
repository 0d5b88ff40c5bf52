-- Like 0444, for the workspaces of an organization.
alter table control.workspaces
  add column state text not null default 'ready' check (state in ('creating', 'ready'));
create index workspaces_creating on control.workspaces (created_at) where state = 'creating';
