/** Reads the history of invoices and credit entries, and records that periods have ended. */
import { type RawBuilder, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { StoredCreditEntry } from '../credit-entry-history.ts'
import type { InvoiceHistory } from '../invoice-history.ts'
import type { Page } from './payment-histories.ts'
import { findPostedLines } from './posted-lines.ts'

type InvoiceRow = {
  readonly id: string
  readonly currency: Currency
  readonly status: string
  readonly total: bigint
  readonly tax_total: bigint
  readonly tax_credited: bigint
  readonly unearned_credited: bigint
  readonly credited_owed: bigint
  readonly amount_due: bigint
  readonly credit_applied: bigint
  readonly credit_returned: bigint
  readonly paid_by_payment: bigint | null
  readonly paid_out_of_band: boolean
  readonly has_period: boolean
  readonly earned_at: Date | null
  readonly left_period_at: Date | null
  readonly finalized_at: Date | null
  readonly paid_at: Date | null
  readonly voided_at: Date | null
  readonly uncollectible_at: Date | null
}

/** A page of invoices in the order of their ids. */
export async function findInvoicePage(tx: Tx, { after, limit }: Page) {
  const rows = await selectInvoices(tx, sql`invoice.id > ${after}::uuid order by invoice.id limit ${limit}`)
  return {
    histories: await toHistories(tx, rows),
    lastUuid: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  }
}

export async function findInvoiceHistories(tx: Tx, ids: readonly Id<'invoice'>[]): Promise<InvoiceHistory[]> {
  const rows = await selectInvoices(tx, sql`invoice.id = any(${ids.map(uuidOf)}::uuid[]) order by invoice.id`)
  return toHistories(tx, rows)
}

/**
 * A subscription has left the period of an invoice if its current period has another invoice, or if it has none. Invoices
 * that are void or withdrawn are never earned.
 */
async function selectInvoices(tx: Tx, condition: RawBuilder<unknown>): Promise<InvoiceRow[]> {
  const { rows } = await sql<InvoiceRow>`
    select invoice.id, invoice.currency, invoice.status, invoice.total, invoice.tax_total, invoice.tax_credited,
      invoice.unearned_credited, invoice.credited_owed,
      invoice.amount_due, invoice.paid_out_of_band,
      invoice.period_index is not null as has_period, invoice.earned_at, invoice.finalized_at, invoice.paid_at,
      invoice.voided_at, invoice.uncollectible_at, credit.applied - voided.applied as credit_applied, credit.returned as credit_returned,
      payment.amount_captured as paid_by_payment,
      case when invoice.period_index is not null and invoice.status <> 'void' and invoice.withdrawn_at is null
        and subscription.period_invoice_id is distinct from invoice.id and subscription.id is not null
        then least(invoice.period_end_at, subscription.ended_at, ${tx.now}::timestamptz) end as left_period_at
    from invoices as invoice
      left join subscriptions as subscription on subscription.workspace_id = invoice.workspace_id
        and subscription.id = invoice.subscription_id
      left join payments as payment on payment.workspace_id = invoice.workspace_id and payment.id = invoice.payment_id
      cross join lateral (
        select coalesce(-sum(entry.amount) filter (where entry.reason = 'applied'), 0)::int8 as applied,
          coalesce(sum(entry.amount) filter (where entry.reason = 'returned'), 0)::int8 as returned
        from credit_balances as balance join credit_entries as entry
          on entry.workspace_id = balance.workspace_id and entry.credit_balance_id = balance.id
        where balance.workspace_id = invoice.workspace_id and balance.customer_id = invoice.customer_id
          and balance.currency = invoice.currency and entry.invoice_id = invoice.id) as credit
      cross join lateral (
        select coalesce(sum(note.applied_amount), 0)::int8 as applied from credit_notes as note
        where note.workspace_id = invoice.workspace_id and note.invoice_id = invoice.id and note.status = 'void') as voided
    where invoice.workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and ${condition}`.execute(tx.db)
  return rows
}

async function toHistories(view: View, rows: readonly InvoiceRow[]): Promise<InvoiceHistory[]> {
  const postedOf = await findPostedLines(
    view,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: idFromUuid('invoice', view.caller.mode, row.id),
    currency: row.currency,
    status: row.status,
    total: row.total,
    tax: row.tax_total,
    taxCredited: row.tax_credited,
    unearnedCredited: row.unearned_credited,
    creditedOwed: row.credited_owed,
    amountDue: row.amount_due,
    creditApplied: row.credit_applied,
    creditReturned: row.credit_returned,
    paidByPayment: row.paid_by_payment,
    paidOutOfBand: row.paid_out_of_band,
    hasPeriod: row.has_period,
    earnedAt: row.earned_at,
    leftPeriodAt: row.left_period_at,
    finalizedAt: row.finalized_at,
    paidAt: row.paid_at,
    voidedAt: row.voided_at,
    uncollectibleAt: row.uncollectible_at,
    posted: postedOf(row.id).filter(({ causeId }) => uuidOf(causeId) === row.id),
  }))
}

export type EarnedChange = { readonly id: Id<'invoice'>; readonly earnedAt: Date }

/** Records when the periods of these invoices ended. The caller has locked the invoices. */
export async function updateEarnedAt(tx: Tx, changes: readonly EarnedChange[]): Promise<void> {
  if (changes.length === 0) return
  await sql`
    update invoices set earned_at = change.at
    from unnest(${changes.map(({ id }) => uuidOf(id))}::uuid[],
      ${changes.map(({ earnedAt }) => earnedAt)}::timestamptz[]) as change (id, at)
    where invoices.workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and invoices.id = change.id`.execute(
    tx.db,
  )
}

type EntryRow = {
  readonly id: string
  readonly customer_id: string
  readonly currency: Currency
  readonly amount: bigint
  readonly reason: string
  readonly created_at: Date
  readonly invoice_id: string | null
  readonly has_period: boolean
  readonly earned_at: Date | null
}

/** A page of credit entries in the order of their ids. */
export async function findEntryPage(view: View, { after, limit }: Page) {
  const { rows } = await sql<EntryRow>`
    select entry.id, balance.customer_id, balance.currency, entry.amount, entry.reason, entry.created_at, entry.invoice_id,
      invoice.period_index is not null as has_period, invoice.earned_at
    from credit_entries as entry
      join credit_balances as balance on balance.workspace_id = entry.workspace_id and balance.id = entry.credit_balance_id
      left join invoices as invoice on invoice.workspace_id = entry.workspace_id and invoice.id = entry.invoice_id
    where entry.workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and entry.id > ${after}::uuid
    order by entry.id limit ${limit}`.execute(view.db)
  return {
    entries: rows.map((row) => toEntry(view, row)),
    lastUuid: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  }
}

function toEntry({ caller: { mode } }: View, row: EntryRow): StoredCreditEntry {
  return {
    id: idFromUuid('credit_entry', mode, row.id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    currency: row.currency,
    amount: row.amount,
    reason: row.reason,
    createdAt: row.created_at,
    invoice:
      row.invoice_id === null
        ? null
        : {
            id: idFromUuid('invoice', mode, row.invoice_id),
            hasPeriod: row.has_period,
            earnedAt: row.earned_at,
          },
  }
}
