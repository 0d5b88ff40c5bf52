-- Outside a transaction. A day is exported once per destination and source.
create unique index concurrently if not exists one_export_per_day
  on exports (workspace_id, destination_id, source, from_on) where destination_id is not null;
