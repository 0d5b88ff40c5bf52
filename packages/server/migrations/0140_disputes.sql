-- Disputes: chargebacks and inquiries that a cardholder has opened at the bank, as providers report them.
create table disputes (
  workspace_id        uuid not null,
  id                  uuid not null,
  payment_id          uuid not null,
  provider_account_id uuid not null,
  provider_reference  text not null,
  stage               text not null check (stage in ('inquiry', 'chargeback', 'pre_arbitration', 'arbitration')),
  status              text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'closed')),
  amount              int8 not null check (amount > 0),
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  -- What the provider has withdrawn and may return. Nothing is held once the dispute has ended.
  amount_held         int8 not null default 0 check (amount_held >= 0),
  fee_amount          int8 check (fee_amount >= 0),
  fee_currency        text check (fee_currency ~ '^[a-z]{3}$'),
  reason              text not null,
  network_reason_code text,
  respond_by_at       timestamptz,
  -- The provider's time of the newest report. Older reports change nothing.
  reported_at         timestamptz not null,
  -- How many lines of the ledger the dispute has used. Each movement has its own line.
  postings            int not null default 0 check (postings between 0 and 64),
  ended_at            timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             int not null default 1,
  sequence            int not null default 1,
  primary key (workspace_id, id),
  constraint one_dispute_per_reference unique (workspace_id, provider_account_id, provider_reference),
  constraint holds_at_most_its_amount check (amount_held <= amount),
  constraint ended_holds_nothing check (status not in ('won', 'lost', 'closed') or amount_held = 0),
  constraint ended_has_a_time check ((status in ('won', 'lost', 'closed')) = (ended_at is not null)),
  constraint fee_has_a_currency check ((fee_amount is null) = (fee_currency is null))
);
create index disputes_of_payment on disputes (workspace_id, payment_id, id);
create index disputes_by_status on disputes (workspace_id, status, id);
create index disputes_by_deadline on disputes (workspace_id, respond_by_at) where status = 'needs_response';

create constraint trigger disputes_change_is_told after insert or update on disputes
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'reported_at');

-- What is held, lost and charged as fees equals the postings of the dispute. Reads the row again, because one transaction
-- can change it several times.
create function dispute_is_posted() returns trigger
language plpgsql as $$
declare
  dispute disputes;
  held int8;
  lost int8;
  fee int8;
begin
  select * into dispute from disputes where workspace_id = new.workspace_id and id = new.id;
  select
    coalesce(sum(case when debit_account = 'disputes_held' then amount else 0 end
      - case when credit_account = 'disputes_held' then amount else 0 end), 0),
    coalesce(sum(case when debit_account = 'dispute_losses' then amount else 0 end), 0),
    coalesce(sum(case when debit_account = 'fees' then amount else 0 end
      - case when credit_account = 'fees' then amount else 0 end), 0)
  into held, lost, fee
  from (
    select debit_account, credit_account, amount from ledger_postings
    where workspace_id = new.workspace_id and debit_object = new.id
    union all
    select debit_account, credit_account, amount from ledger_postings
    where workspace_id = new.workspace_id and credit_object = new.id and credit_object <> debit_object
  ) as posting;
  if held <> dispute.amount_held or lost <> (case when dispute.status = 'lost' then dispute.amount else 0 end)
    or fee <> coalesce(dispute.fee_amount, 0) then
    raise exception 'ledger: dispute % has postings of % held, % lost and % in fees', new.id, held, lost, fee
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger disputes_are_posted after insert or update on disputes
  deferrable initially deferred for each row execute function dispute_is_posted();

alter table disputes enable row level security;
alter table disputes force row level security;
create policy own_workspace on disputes to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on disputes to switchyard_app;
