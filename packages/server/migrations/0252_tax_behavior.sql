-- Whether the amount of a price includes tax. It never changes, like the amount.
alter table prices
  add column tax_behavior text not null default 'exclusive' check (tax_behavior in ('inclusive', 'exclusive'));

create function tax_behavior_is_kept() returns trigger
language plpgsql as $$
begin
  raise exception 'price %: its tax behavior never changes; create another price', old.id
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger prices_keep_tax_behavior before update on prices
  for each row when (old.tax_behavior <> new.tax_behavior) execute function tax_behavior_is_kept();
