alter table api_tokens
  -- When the work that copies the secrets to the directory is due. Null if the directory is up to date.
  add column directory_due_at timestamptz,
  -- See control.people.token_generation.
  add column creator_generation int not null default 0;
create index api_tokens_to_list on api_tokens (directory_due_at) where directory_due_at is not null;
grant select (directory_due_at) on api_tokens to switchyard_due;
