-- Privileged acts, chained: each entry's hash covers the one before, so an edit, a removal or a swap shows.
create table audit_heads (
  workspace_id uuid primary key,
  number       bigint not null,
  hash         bytea not null check (octet_length(hash) = 32)
);

create table audit_entries (
  workspace_id uuid not null,
  number       bigint not null,
  id           uuid not null,
  -- The entry as JSON text, as it was hashed.
  entry        text not null,
  hash         bytea not null check (octet_length(hash) = 32),
  primary key (workspace_id, number),
  unique (workspace_id, id)
);

alter table audit_heads enable row level security;
alter table audit_heads force row level security;
create policy own_workspace on audit_heads to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on audit_heads to switchyard_app;

alter table audit_entries enable row level security;
alter table audit_entries force row level security;
create policy own_workspace on audit_entries to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert on audit_entries to switchyard_app;

-- One line per call of the API, a partition a week. Lines of many workspaces are written together, a
-- moment after the calls; when a call came stands in its id.
create table request_log (
  workspace_id    uuid not null,
  id              uuid not null,
  api_token_id    uuid,
  method          text not null,
  path            text not null,
  operation       text,
  status          int2 not null,
  error_code      text,
  api_version     text not null,
  idempotency_key text,
  replayed        boolean not null,
  duration_ms     int not null,
  request_body    text,
  response_body   text,
  primary key (workspace_id, id)
) partition by range (id);

alter table request_log enable row level security;
alter table request_log force row level security;
create policy own_workspace on request_log for select to switchyard_app using (workspace_id = current_workspace());
create policy add_lines on request_log for insert to switchyard_log with check (true);
grant select on request_log to switchyard_app;
grant insert on request_log to switchyard_log;
