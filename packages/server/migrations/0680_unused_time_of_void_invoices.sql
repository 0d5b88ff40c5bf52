-- The credit that a customer has got for unused time that an invoice had charged. A line credits the invoice of its source line,
-- or else of the latest line that charged the item before the change. A correction of usage names its source line.
create function unused_time_credited(in_workspace uuid, invoice uuid) returns int8
language sql stable as $$
  with given as (
    select subscription_id, customer_id, currency from invoices where workspace_id = in_workspace and id = invoice
  ), lines as (
    select invoice_lines.*, coalesce(net + tax, round((amount - coalesce(discount, 0))
      * (1 + case when tax_inclusive then 0 else coalesce(tax_percentage::numeric, 0) / 100 end))) as gross
    from (
      select invoice_lines.* from given join invoices using (subscription_id) join invoice_lines
        on invoice_lines.workspace_id = in_workspace and invoice_lines.invoice_id = invoices.id
      where invoices.workspace_id = in_workspace and invoices.id >= invoice
        and (invoices.status <> 'void' or invoices.id = invoice)
      union all
      select invoice_lines.* from given join invoice_lines using (subscription_id)
      where workspace_id = in_workspace and invoice_id is null
    ) as invoice_lines
  ), credited as (
    select source.id, sum(-lines.gross) as amount
    from lines cross join lateral (
      select source.id, source.invoice_id from lines as source
      where case
        when lines.source_line_id is not null then source.id = lines.source_line_id
        else lines.kind = 'proration_credit' and source.kind in ('cycle', 'proration_debit')
          and source.subscription_item_id = lines.subscription_item_id and source.price_id = lines.price_id
          and source.service_start_at <= lines.service_start_at
          and source.explanation->>'changeId' is distinct from lines.explanation->>'changeId' end
      order by source.service_start_at desc, source.id desc limit 1) as source
    where lines.kind in ('proration_credit', 'usage_correction') and source.invoice_id = invoice
      and lines.invoice_id is distinct from invoice
    group by source.id
  )
  select (coalesce((select sum(amount) from credited where amount > 0), 0) + coalesce((
    select sum(entries.amount)
    from given join credit_balances as balances
        on balances.workspace_id = in_workspace and balances.customer_id = given.customer_id
          and balances.currency = given.currency
      join credit_entries as entries on entries.workspace_id = in_workspace and entries.credit_balance_id = balances.id
    where entries.reason = 'unused_time' and entries.invoice_id = invoice), 0))::int8
$$;

-- What voiding an invoice returns of the credit that was applied to it: what credit notes and unused time have left.
create function credit_returned_by_void(before invoices) returns int8
language plpgsql stable as $$
declare
  remaining constant int8 := before.credit_applied - before.credited_owed - before.credited_balance;
begin
  if remaining <= 0 or before.subscription_id is null then
    return greatest(remaining, 0);
  end if;
  return greatest(remaining - unused_time_credited(before.workspace_id, before.id), 0);
end
$$;

-- As in 0654, without the credit for unused time.
create or replace function void_leaves_nothing_unearned() returns trigger
language plpgsql as $$
declare
  has_tax_in_revenue constant boolean := new.total >= new.tax_total;
  unearned constant int8 :=
    new.total - case when has_tax_in_revenue then new.tax_total else 0 end - new.unearned_credited;
begin
  perform require_postings(new.workspace_id, new.id, '{8}', abs(unearned
    - (old.amount_due - old.amount_paid)
    - credit_returned_by_void(old)
    + case when has_tax_in_revenue then new.tax_total - new.tax_credited else 0 end));
  return null;
end
$$;
drop trigger void_leaves_nothing_unearned on invoices;
create constraint trigger void_leaves_nothing_unearned after update on invoices
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and old.status <> 'void' and new.status = 'void'
    and (old.unearned_credited > 0 or old.credit_applied > old.credited_owed and old.period_start_at is not null)
    and old.earned_at is null)
  execute function void_leaves_nothing_unearned();

create or replace function void_invoice_is_credited() returns trigger
language plpgsql as $$
begin
  perform require_whole_credit(new.workspace_id, new.id, false);
  if (
    select coalesce(sum(entries.amount), 0)
    from credit_balances as balances join credit_entries as entries
      on entries.workspace_id = balances.workspace_id and entries.credit_balance_id = balances.id
    where balances.workspace_id = new.workspace_id and balances.customer_id = new.customer_id
      and balances.currency = new.currency and entries.reason = 'returned' and entries.invoice_id = new.id
  ) <> credit_returned_by_void(old) then
    raise exception 'invoice %: voiding it returns a different amount of credit than the customer is owed', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
