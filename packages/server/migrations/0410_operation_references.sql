-- References of operations that are derived from the idempotency key of a request, so that a request that is repeated
-- after a restore sends the provider the same reference. Unlike other references they do not contain the payment id.
-- The primary key guarantees that a reference identifies one operation: an index on operations could not span its
-- partitions.
create table operation_references (
  workspace_id uuid not null,
  reference    text not null,
  payment_id   uuid not null,
  -- Set if the operation was rebuilt from the records of its provider. The payment or refund with which a repeated
  -- request is answered.
  rebuilt_as   uuid,
  primary key (workspace_id, reference)
);
alter table operation_references enable row level security;
alter table operation_references force row level security;
create policy own_workspace on operation_references to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert on operation_references to switchyard_app;
grant update (rebuilt_as) on operation_references to switchyard_app;
