-- The sums of an hour are deleted when all its events are cancelled.
grant delete on meter_buckets to switchyard_app;
