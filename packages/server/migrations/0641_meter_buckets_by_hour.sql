-- Outside a transaction. The usage of all customers of a meter in a period.
create index concurrently if not exists meter_buckets_by_hour on meter_buckets (workspace_id, meter_id, hour_at);
