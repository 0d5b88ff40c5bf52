-- Seller and customer as they were when the invoice was finalized. Older invoices have no copy.
alter table invoices
  add column parties jsonb,
  -- The legal fields that were missing when the invoice was, or could not be, finalized.
  add column missing text[] not null default '{}',
  -- When finalizing the draft first failed because legal fields are missing.
  add column blocked_since_at timestamptz,
  -- Until then the copy is kept even if the customer is deleted.
  add column retain_until timestamptz,
  -- When the copy of a deleted customer is erased.
  add column erase_parties_at timestamptz,
  add column parties_erased_at timestamptz,
  -- If the numbers begin with 1 again every year: the year, and the number in it.
  add column number_year int,
  add column number_in_year int8,
  add constraint year_and_number_in_year check ((number_year is null) = (number_in_year is null)) not valid,
  add constraint erased_after_retention
    check ((erase_parties_at is null or erase_parties_at >= retain_until)
      and (parties_erased_at is null or parties_erased_at >= retain_until)) not valid;

-- What was sent to a customer stays as it was sent, until the retention period has ended.
create function parties_are_kept() returns trigger
language plpgsql as $$
begin
  if old.status <> 'draft' and not (new.parties_erased_at is not null and old.parties_erased_at is null
    and new.parties -> 'seller' = old.parties -> 'seller') then
    raise exception 'invoice %: the parties of an invoice that is final cannot be changed', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger invoices_keep_parties before update on invoices
  for each row when (old.parties is distinct from new.parties or old.retain_until is distinct from new.retain_until)
  execute function parties_are_kept();

drop trigger invoices_change_is_told on invoices;
create constraint trigger invoices_change_is_told after insert or update on invoices
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'live_payment_id', 'attempt_count', 'campaign_id', 'held', 'next_attempt_at',
    'collect_at', 'subscription_due_at', 'dunning_due_at', 'earned_at', 'finalize_at', 'blocked_since_at', 'parties',
    'retain_until', 'erase_parties_at', 'parties_erased_at');

grant select (erase_parties_at) on invoices to switchyard_due;
