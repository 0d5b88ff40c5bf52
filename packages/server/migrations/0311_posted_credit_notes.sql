-- A credit note is committed only with the posting of its tax, and voided only with the postings of its total and its tax.
create function credit_note_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform require_postings(new.workspace_id, new.id, '{1}', new.tax_total);
  elsif new.status = 'void' then
    perform require_postings(new.workspace_id, new.id, '{0}', new.total);
    perform require_postings(new.workspace_id, new.id, '{2}', new.tax_total);
  end if;
  return null;
end
$$;
create constraint trigger credit_notes_are_posted after insert or update on credit_notes
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on')
  execute function credit_note_is_posted();

-- Tax is added to the amounts, or contained in them.
alter table credit_notes
  add constraint total_contains_the_tax check (total between subtotal and subtotal + tax_total) not valid;
