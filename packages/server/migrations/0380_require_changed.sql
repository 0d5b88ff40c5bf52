-- Aborts the transaction of an update that found no row, because the row has another version by now. The update is
-- sent together with the commit, so the application learns too late that no row was changed.
create function require_changed(is_changed boolean) returns void
language plpgsql
as $$
begin
  if not is_changed then
    raise exception 'The row was changed concurrently.' using errcode = 'serialization_failure';
  end if;
end
$$;
