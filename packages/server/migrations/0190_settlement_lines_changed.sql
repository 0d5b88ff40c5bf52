-- The day in UTC on which a line was imported or changed last, for daily exports. Null for lines that were imported before:
-- the column is added without a default, so that the table is not rewritten and they are not exported as changed today.
alter table settlement_lines add column changed_on date;
alter table settlement_lines alter column changed_on set default (now() at time zone 'UTC')::date;

create function settlement_line_is_changed() returns trigger
language plpgsql as $$
begin
  new.changed_on := (now() at time zone 'UTC')::date;
  return new;
end
$$;
-- Matched, resolved, or posted to suspense.
create trigger settlement_lines_are_dated before update on settlement_lines for each row
  when (new.status <> old.status or new.suspense <> old.suspense or new.version <> old.version)
  execute function settlement_line_is_changed();
