-- Cancelled events are not counted. Their rows stay, so that an event that is sent again is not counted either.
alter table meter_events add column cancelled_at timestamptz;
grant update (cancelled_at) on meter_events to switchyard_app;
