-- Payments by their status, and by the link that they were made by. Most end as succeeded: those are found on the
-- way through all of them, and are not in the index, so that the ordinary payment has one entry that it leaves.
create index payments_by_status on payments (workspace_id, status, id) where status <> 'succeeded';
create index payments_of_link on payments (workspace_id, payment_link_id, id) where payment_link_id is not null;
