-- People sign in: sessions, tries, second factors, links and invitations. All of it belongs to an organization and
-- so lies in the control plane. Secrets that somebody carries are kept as hashes.

-- Which workspaces an organization has. What they hold lies where they are.
create table control.workspaces (
  id              uuid primary key,
  organization_id uuid not null,
  mode            text not null check (mode in ('live', 'test')),
  created_at      timestamptz not null
);
create index workspaces_of_organization on control.workspaces (organization_id, id);

-- The owner of the table is held by its row-level security as well, and here it has to see every row.
alter table workspaces no force row level security;
insert into control.workspaces (id, organization_id, mode, created_at)
  select workspace_id, organization_id, mode, created_at from workspaces;
alter table workspaces force row level security;

alter table control.people
  add column status text not null default 'active' check (status in ('active', 'deactivated')),
  add column last_seen_at timestamptz,
  -- Sealed with the key of that workspace, which only opens it here.
  add column totp_secret bytea,
  add column totp_workspace_id uuid,
  -- Null while it has been handed out and not been proven.
  add column totp_confirmed_at timestamptz,
  -- The step of the last code that was taken: it and those before it are not taken again.
  add column totp_step bigint,
  add check ((totp_secret is null) = (totp_workspace_id is null)),
  add check (totp_confirmed_at is null or totp_secret is not null);

create table control.sessions (
  id           uuid primary key,
  person_id    uuid not null references control.people,
  hash         bytea not null unique check (octet_length(hash) = 32),
  -- For a moment after a new id was drawn the one before is good as well: a browser asks for many things at once.
  former_hash  bytea unique check (octet_length(former_hash) = 32),
  former_until timestamptz,
  -- What the person might do when the id was drawn. With another role comes another id.
  role         text not null check (role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY')),
  address      text not null,
  user_agent   text not null,
  -- The challenge of a passkey that is being added.
  challenge    text,
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  check ((former_hash is null) = (former_until is null))
);
create index sessions_of_person on control.sessions (person_id, id);
create index sessions_over on control.sessions (expires_at);

-- Wrong passwords and codes, by a hash of the e-mail address or of the network address they came for.
create table control.sign_in_tries (
  key           bytea primary key check (octet_length(key) = 32),
  wrong         int not null check (wrong >= 0),
  tried_at      timestamptz not null,
  blocked_until timestamptz
);
create index sign_in_tries_old on control.sign_in_tries (tried_at);

create table control.sign_in_links (
  hash       bytea primary key check (octet_length(hash) = 32),
  person_id  uuid not null references control.people,
  expires_at timestamptz not null
);
create index sign_in_links_over on control.sign_in_links (expires_at);

create table control.recovery_codes (
  person_id uuid not null references control.people,
  hash      bytea not null check (octet_length(hash) = 32),
  primary key (person_id, hash)
);

create table control.passkeys (
  id            uuid primary key,
  person_id     uuid not null references control.people,
  name          text not null check (name <> ''),
  credential_id text not null unique,
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create index passkeys_of_person on control.passkeys (person_id, id);

-- Challenges of people who are about to sign in with a passkey. Each is answered once.
create table control.passkey_challenges (
  hash       bytea primary key check (octet_length(hash) = 32),
  expires_at timestamptz not null
);
create index passkey_challenges_over on control.passkey_challenges (expires_at);

create table control.invitations (
  id              uuid primary key,
  organization_id uuid not null,
  email           text not null check (email = lower(email)),
  role            text not null check (role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY')),
  status          text not null check (status in ('pending', 'accepted', 'revoked')),
  hash            bytea not null unique check (octet_length(hash) = 32),
  person_id       uuid references control.people,
  expires_at      timestamptz not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  check ((status = 'accepted') = (person_id is not null))
);
create index invitations_of_organization on control.invitations (organization_id, id);
-- A newer one for the same address takes the place of the one before.
create unique index invitations_pending on control.invitations (organization_id, email) where status = 'pending';

grant select, insert, update, delete on all tables in schema control to switchyard_control;

-- The person who called from the dashboard.
alter table request_log add column person_id uuid;
