-- The constraints of 0170 also hold for the rows from before.

alter table exports
  validate constraint destination_exists,
  validate constraint attempts_are_counted,
  validate constraint daily_has_a_path,
  validate constraint daily_is_one_day,
  validate constraint known_status,
  validate constraint runs_uploads_or_is_over,
  validate constraint written_has_a_hash,
  validate constraint uploads_to_a_destination;
