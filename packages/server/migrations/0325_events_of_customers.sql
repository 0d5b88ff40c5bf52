-- Periods are billed to the second: the events of their first and last hour are read one by one. Partitions that are
-- created from now on have the index.
create index meter_events_of_customer on only meter_events (workspace_id, customer_id, meter_id, occurred_at);
