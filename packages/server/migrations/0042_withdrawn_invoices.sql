-- An invoice that its subscription withdrew while it was being paid. When the payment has ended, the invoice becomes
-- void and whatever was charged is refunded: it is never paid.
alter table invoices add column withdrawn_at timestamptz,
  add constraint withdrawn_is_never_paid check (withdrawn_at is null or status = 'void'
    or (status in ('open', 'uncollectible') and live_payment_id is not null)) not valid;

-- A subscription that waits for a payment leaves the period behind only if nobody can pay for it any more. Otherwise a
-- period would be paid, lost, and charged again.
create function unpaid_period_is_withdrawn() returns trigger
language plpgsql as $$
begin
  if not exists (
    select from invoices
    where workspace_id = old.workspace_id and id = old.period_invoice_id
      and (status = 'void' or withdrawn_at is not null)
  ) then
    raise exception 'subscription %: it waits for invoice %, which can still be paid', old.id, old.period_invoice_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger subscriptions_withdraw_unpaid_periods after update on subscriptions
  deferrable initially deferred for each row
  when (old.activation ->> 'state' in ('pending', 'requires_action') and old.period_invoice_id is not null
    and new.period_invoice_id is distinct from old.period_invoice_id)
  execute function unpaid_period_is_withdrawn();
