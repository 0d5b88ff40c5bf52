-- What waits in all workspaces is counted for operators, by the role that looks across them: states and times, and
-- nothing that a workspace stores.

create policy due_anywhere on refunds for select to switchyard_due using (true);
create policy due_anywhere on webhook_endpoints for select to switchyard_due using (true);
grant select (unresolved_since_at, review) on payments to switchyard_due;
grant select (workspace_id, review, updated_at) on refunds to switchyard_due;
grant select (health, failing_since_at) on webhook_lanes to switchyard_due;
grant select (workspace_id, id, status, disabled_reason, disabled_at, deleted_at) on webhook_endpoints to switchyard_due;
grant select (collection_status, updated_at) on subscriptions to switchyard_due;
grant select (failed_at) on dunning_campaigns to switchyard_due;
