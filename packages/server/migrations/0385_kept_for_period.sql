-- What a subscription has been charged for a period and not got back. The period begins with the invoice that bills it, and
-- ends with the invoice of the next period, whose prorated lines belong to the period before. Ids are time-ordered.
-- Several ways return money for the same period: credit notes, refunds, and credit for unused time. Together they never
-- return more than was charged. Invoices for usage are not part of it: usage is billed after its period.
create function kept_for_period(workspace uuid, invoice uuid, out kept int8, out returned int8)
language sql stable as $$
  with given as (
    select subscription_id, customer_id, currency from invoices where workspace_id = workspace and id = invoice
  ), own as (
    select invoices.id from invoices join given using (subscription_id)
    where workspace_id = workspace and invoices.id <= invoice and period_start_at is not null and reason <> 'usage'
    order by invoices.id desc limit 1
  ), next as (
    select invoices.id from invoices join given using (subscription_id)
    where workspace_id = workspace and invoices.id > invoice and period_start_at is not null and reason <> 'usage'
    order by invoices.id limit 1
  ), billed as (
    select invoices.id, invoices.total,
      case when status = 'uncollectible' then amount_due - amount_paid else 0 end as unpaid,
      credited_owed + credited_balance + coalesce((
        select payments.amount_refunded + payments.amount_refunding from payments
        where payments.workspace_id = workspace and payments.id = invoices.payment_id), 0)
      + coalesce((
        select sum(credit_entries.amount)
        from credit_balances join credit_entries on credit_entries.workspace_id = workspace
          and credit_entries.credit_balance_id = credit_balances.id
        where credit_balances.workspace_id = workspace and credit_balances.customer_id = given.customer_id
          and credit_balances.currency = given.currency and credit_entries.reason = 'unused_time'
          and credit_entries.invoice_id = invoices.id), 0) as returned
    from invoices join given using (subscription_id)
    where workspace_id = workspace and invoices.status <> 'void' and invoices.reason <> 'usage'
      and invoices.id >= coalesce((select id from own), invoice)
      and ((select id from next) is null or invoices.id < (select id from next))
  ), of_next as (
    -- Lines that wait for the next invoice have no calculated tax yet, and lines without tax never have.
    select coalesce(lines.net + lines.tax, round((lines.amount - coalesce(lines.discount, 0))
      * (1 + case when lines.tax_inclusive then 0 else coalesce(lines.tax_percentage::numeric, 0) / 100 end))) as amount
    from (
      select invoice_lines.* from next join invoices on invoices.workspace_id = workspace and invoices.id = next.id
        join invoice_lines on invoice_lines.workspace_id = workspace and invoice_lines.invoice_id = next.id
      where invoices.status <> 'void'
      union all
      select invoice_lines.* from given join invoice_lines using (subscription_id)
      where workspace_id = workspace and invoice_lines.invoice_id is null and not exists (select from next)
    ) as lines
    where lines.kind in ('proration_credit', 'proration_debit')
  )
  select (coalesce(sum(billed.total - billed.unpaid - billed.returned), 0)
      + coalesce((select sum(amount) from of_next), 0))::int8,
    coalesce(sum(billed.returned), 0)::int8
  from billed
$$;
