-- Database roles, and the control plane: what belongs to no workspace.
--
-- The service logs in as one user and acts as one of these roles, which cannot log in themselves:
--   switchyard_app      inside one workspace, held there by row-level security
--   switchyard_due      looks across workspaces, at ids and due times alone
--   switchyard_log      adds lines to the request log, and does nothing else
--   switchyard_control  the control plane

do $$
declare
  wanted text;
begin
  foreach wanted in array array['switchyard_app', 'switchyard_due', 'switchyard_log', 'switchyard_control'] loop
    -- Roles belong to the whole server: another database of it, or an administrator, may have made them.
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin nobypassrls', wanted);
      exception when duplicate_object or unique_violation then
        -- Another database of this server is being migrated at the same moment.
        null;
      end;
    end if;
    if not pg_has_role(current_user, wanted, 'set') then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
end
$$;

revoke create on schema public from public;
grant usage on schema public to switchyard_app, switchyard_due, switchyard_log;

create schema control;
grant usage on schema control to switchyard_control;

create table control.organizations (
  id         uuid primary key,
  name       text not null check (name <> ''),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table control.people (
  id              uuid primary key,
  organization_id uuid not null references control.organizations,
  email           text not null check (email = lower(email)),
  name            text,
  role            text not null check (role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY')),
  -- argon2id in PHC form. There is no default: a person without one cannot sign in.
  password_hash   text check (password_hash like '$argon2id$%'),
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);
create unique index people_email on control.people (email);
create index people_of_organization on control.people (organization_id, id);

-- Finds a token by the hash of its text. A token that was rolled has two rows until the overlap ends.
create table control.api_token_secrets (
  hash         bytea primary key check (octet_length(hash) = 32),
  workspace_id uuid not null,
  api_token_id uuid not null,
  created_at   timestamptz not null,
  expires_at   timestamptz
);
create index api_token_secrets_of_token on control.api_token_secrets (workspace_id, api_token_id);

grant select, insert, update, delete on all tables in schema control to switchyard_control;
