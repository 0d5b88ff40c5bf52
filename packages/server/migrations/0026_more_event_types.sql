-- There are more than a hundred types of events now, and an endpoint may name each of them.
alter table webhook_endpoints drop constraint webhook_endpoints_event_types_check;
alter table webhook_endpoints add constraint webhook_endpoints_event_types_check
  check (cardinality(event_types) between 1 and 200);
