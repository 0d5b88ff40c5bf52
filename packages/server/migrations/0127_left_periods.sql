-- A subscription leaves a period only if what its invoice bills is earned, or the invoice can never be paid.
create function left_period_is_earned() returns trigger
language plpgsql as $$
begin
  if exists (
    select from invoices
    where workspace_id = old.workspace_id and id = old.period_invoice_id
      and period_index is not null and earned_at is null and withdrawn_at is null and status <> 'void'
  ) then
    raise exception 'subscription %: it left the period of invoice %, which is neither earned nor withdrawn',
      old.id, old.period_invoice_id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger left_periods_are_earned after update on subscriptions
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and old.period_invoice_id is not null
    and new.period_invoice_id is distinct from old.period_invoice_id)
  execute function left_period_is_earned();
