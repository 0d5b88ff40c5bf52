-- API tokens. The text of a token is shown once and nowhere kept; its hash stands in control.

create table api_tokens (
  workspace_id uuid not null,
  id           uuid not null,
  name         text not null,
  kind         text not null check (kind in ('secret', 'publishable')),
  role         text check (role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY')),
  status       text not null check (status in ('active', 'revoked', 'expired')),
  -- Beginning and end of the newest text, enough for a person to tell tokens apart.
  hint         text not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  -- When something ends next: the token, or the text that was rolled.
  due_at       timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  version      int not null default 1,
  primary key (workspace_id, id),
  check ((kind = 'secret') = (role is not null)),
  check (status = 'active' or due_at is null)
);
create index api_tokens_due on api_tokens (due_at) where due_at is not null;

alter table api_tokens enable row level security;
alter table api_tokens force row level security;
create policy own_workspace on api_tokens to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on api_tokens for select to switchyard_due using (true);
grant select, insert, update on api_tokens to switchyard_app;
grant select (workspace_id, id, due_at) on api_tokens to switchyard_due;
