-- The day in UTC on which a line was imported or changed last, for daily exports. Null for lines that were imported before:
-- the column is added without a default, so that the table is not rewritten and they are not exported as changed today.
alter table settlement_lines add column changed_on text;
alter table settlement_lines alter column changed_on set default to_char(now() at time zone 'UTC', 'YYYY-MM-DD');
-- Not validated, because that would read the whole table: all older lines have null.
alter table settlement_lines add constraint changed_on_a_day check (changed_on ~ '^\d{4}-\d{2}-\d{2}$') not valid;

create function settlement_line_is_changed() returns trigger
language plpgsql as $$
begin
  new.changed_on := to_char(now() at time zone 'UTC', 'YYYY-MM-DD');
  return new;
end
$$;
-- Matched, resolved, or posted to suspense.
create trigger settlement_lines_are_dated before update on settlement_lines for each row
  when (new.status <> old.status or new.suspense <> old.suspense or new.version <> old.version)
  execute function settlement_line_is_changed();
