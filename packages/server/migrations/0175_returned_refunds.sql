-- A refund that succeeded can fail later. Its amount is posted back to the provider account.
create or replace function refund_is_posted() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform require_postings(new.workspace_id, new.id, '{0,1}', new.amount);
  elsif new.status = 'succeeded' then
    perform require_postings(new.workspace_id, new.id, '{2}', new.amount);
  else
    if old.status = 'succeeded' then
      perform require_postings(new.workspace_id, new.id, '{5}', new.amount);
    end if;
    perform require_postings(new.workspace_id, new.id, '{3,4}', new.amount);
  end if;
  return null;
end
$$;
