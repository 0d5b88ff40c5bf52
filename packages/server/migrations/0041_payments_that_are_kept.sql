-- A payment whose cancellation was requested, or that was refunded in full before it was applied, pays for nothing:
-- no invoice may become paid by it, and no checkout session completed.
create function payment_is_kept(in_workspace uuid, payment uuid) returns boolean
language sql stable as $$
  select coalesce((
    select cancel_requested_at is null and (status = 'requires_capture'
      or (status = 'succeeded' and amount_captured > amount_refunding + amount_refunded))
    from payments where workspace_id = in_workspace and id = payment), false)
$$;

create function paid_by_a_kept_payment() returns trigger
language plpgsql as $$
begin
  if not payment_is_kept(new.workspace_id, new.payment_id) then
    raise exception '% %: its payment % was cancelled or refunded', tg_table_name, new.id, new.payment_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger invoices_are_paid_by_kept_payments after update on invoices for each row
  when (new.status = 'paid' and old.status <> 'paid' and new.payment_id is not null)
  execute function paid_by_a_kept_payment();
create trigger checkout_sessions_are_completed_by_kept_payments after update on checkout_sessions for each row
  when (new.status = 'completed' and old.status <> 'completed')
  execute function paid_by_a_kept_payment();
