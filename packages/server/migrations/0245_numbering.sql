-- The next number of each year, for workspaces whose numbers begin with 1 again every year. Its row is locked after that of
-- the series.
create table invoice_series_years (
  workspace_id uuid not null,
  series_id    uuid not null,
  year         int not null check (year between 2000 and 9999),
  next_number  int8 not null default 1 check (next_number > 0),
  primary key (workspace_id, series_id, year),
  foreign key (workspace_id, series_id) references invoice_series (workspace_id, id)
);
alter table invoice_series_years enable row level security;
alter table invoice_series_years force row level security;
create policy own_workspace on invoice_series_years to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on invoice_series_years to switchyard_app;

-- Numbers have no gaps: whatever a counter skips has been given to invoices by the end of the transaction.
create function numbers_have_no_gaps() returns trigger
language plpgsql as $$
begin
  if new.next_sequence - old.next_sequence <> (
    select count(1) from invoices
    where workspace_id = new.workspace_id and series_id = new.id
      and sequence_number >= old.next_sequence and sequence_number < new.next_sequence
  ) then
    raise exception 'series %: numbers from % to % are not all in use', new.id, old.next_sequence, new.next_sequence - 1
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger invoice_series_has_no_gaps after update on invoice_series
  deferrable initially deferred for each row when (old.next_sequence <> new.next_sequence)
  execute function numbers_have_no_gaps();

create function numbers_of_year_have_no_gaps() returns trigger
language plpgsql as $$
declare
  first constant int8 := case when tg_op = 'INSERT' then 1 else old.next_number end;
begin
  if new.next_number < first or new.next_number - first <> (
    select count(1) from invoices
    where workspace_id = new.workspace_id and series_id = new.series_id and number_year = new.year
      and number_in_year >= first and number_in_year < new.next_number
  ) then
    raise exception 'series %: numbers from % to % of % are not all in use', new.series_id, first, new.next_number - 1, new.year
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger invoice_series_years_have_no_gaps after insert or update on invoice_series_years
  deferrable initially deferred for each row execute function numbers_of_year_have_no_gaps();
