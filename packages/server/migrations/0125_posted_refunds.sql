-- A refund is committed only with the postings of its request and of its end.
create function refund_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform require_postings(new.workspace_id, new.id, '{0,1}', new.amount);
  elsif new.status = 'succeeded' then
    perform require_postings(new.workspace_id, new.id, '{2}', new.amount);
  else
    perform require_postings(new.workspace_id, new.id, '{3,4}', new.amount);
  end if;
  return null;
end
$$;
create constraint trigger new_refunds_are_posted after insert on refunds
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on')
  execute function refund_is_posted();
create constraint trigger ended_refunds_are_posted after update on refunds
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and new.status <> old.status)
  execute function refund_is_posted();
