-- A value is deleted when all its events of the hour are cancelled.
grant delete on meter_unique_values to switchyard_app;
