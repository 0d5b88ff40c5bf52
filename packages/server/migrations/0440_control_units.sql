-- Changes to organizations, people and sessions are committed in the control plane alone, which can be a database of its
-- own. So it stores the responses to these requests, and the audit entries until they are appended to the chain of their
-- workspace.

create table control.idempotency_keys (
  workspace_id uuid not null,
  scope        bytea not null check (octet_length(scope) = 32),
  fingerprint  bytea not null check (octet_length(fingerprint) = 32),
  request_id   uuid not null,
  status       int2 not null,
  etag         text,
  body         text not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, scope)
);
create index idempotency_keys_old on control.idempotency_keys (created_at);

create table control.audit_outbox (
  -- The id of the entry. An entry that was appended already is not appended again.
  id           uuid primary key,
  workspace_id uuid not null,
  mode         text not null check (mode in ('live', 'test')),
  -- The entry as JSON text, without its number. Text keeps the order of its members, which its hash covers.
  entry        text not null,
  created_at   timestamptz not null default now()
);

grant select, insert, update, delete on control.idempotency_keys, control.audit_outbox to switchyard_control;
