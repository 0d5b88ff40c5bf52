-- An entry of a credit balance is committed only with its posting.
create function credit_entry_is_posted() returns trigger
language plpgsql as $$
begin
  perform require_postings(new.workspace_id, new.id, '{0}', abs(new.amount));
  return null;
end
$$;
create constraint trigger credit_entries_are_posted after insert on credit_entries
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on')
  execute function credit_entry_is_posted();
