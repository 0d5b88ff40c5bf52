-- Requests that call a provider commit twice: first what is intended, then what became of it. Between the two
-- the key is held by a lease; whoever repeats the request after it goes on with the same object.
alter table idempotency_keys
  add column state text not null default 'done' check (state in ('running', 'done')),
  -- Raised by each one that takes over. A handler whose fence is not the newest answers nobody.
  add column fence int not null default 1,
  add column lease_until timestamptz,
  add column subject_id uuid,
  alter column status drop not null,
  alter column body drop not null,
  add constraint done_is_answered check ((state = 'done') = (status is not null and body is not null)),
  add constraint running_is_leased check (state = 'done' or (lease_until is not null and subject_id is not null));
grant update on idempotency_keys to switchyard_app;
