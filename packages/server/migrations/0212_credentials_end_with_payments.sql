-- A credential is pending only while the payment that verifies it is in progress. Checked at the commit, because both
-- rows change in one transaction. Only a verification for a credential has its payment method from the beginning.
create function credential_ends_with_its_payment() returns trigger
language plpgsql as $$
begin
  if exists (
    select from payment_method_provider_tokens
    where workspace_id = new.workspace_id and payment_method_id = new.payment_method_id
      and payment_id = new.id and status = 'pending'
  ) then
    raise exception 'payments %: it is %, but the credential that it verifies is pending', new.id, new.status
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger credentials_end_with_their_payments after update on payments
  deferrable initially deferred for each row
  when (new.purpose = 'verification' and old.payment_method_id is not null
    and new.status <> old.status and new.status in ('succeeded', 'failed', 'cancelled'))
  execute function credential_ends_with_its_payment();
