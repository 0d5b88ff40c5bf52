-- Incremented when the API tokens of a person are revoked. A token of an earlier generation that is not in the directory
-- yet is revoked instead of being listed.
alter table control.people add column token_generation int not null default 0;

-- The version of each token that the directory shows, so that a change that arrives late replaces no newer one.
create table control.api_tokens (
  workspace_id uuid not null,
  id           uuid not null,
  version      int not null,
  primary key (workspace_id, id)
);
grant select, insert, update, delete on control.api_tokens to switchyard_control;
