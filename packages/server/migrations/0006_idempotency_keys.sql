-- Answers kept for repeats of the same request, a partition a week, dropped after two. Each partition
-- has a unique index on (workspace_id, scope); across the edge of a week the advisory lock that every
-- claim takes keeps a pair apart.
create table idempotency_keys (
  workspace_id uuid not null,
  id           uuid not null,
  scope        bytea not null check (octet_length(scope) = 32),
  fingerprint  bytea not null check (octet_length(fingerprint) = 32),
  request_id   uuid not null,
  status       int2 not null,
  etag         text,
  body         text not null,
  primary key (workspace_id, id)
) partition by range (id);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy own_workspace on idempotency_keys to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert on idempotency_keys to switchyard_app;
