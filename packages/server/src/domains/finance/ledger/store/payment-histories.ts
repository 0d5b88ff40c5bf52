/** Reads the history of payments, and corrects their unapplied amounts. */
import { type RawBuilder, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { type Id, idFromUuid, idOrNull, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { PaymentHistory, RefundHistory } from '../payment-history.ts'
import { findPostedLines } from './posted-lines.ts'

type PaymentRow = {
  readonly id: string
  readonly currency: Currency
  readonly status: string
  readonly cancel_requested_at: Date | null
  readonly amount_captured: bigint
  readonly amount_refunding: bigint
  readonly amount_refunded: bigint
  readonly amount_unapplied: bigint
  readonly invoice_id: string | null
  readonly applied_at: Date | null
  readonly amount_due: bigint | null
}
type OperationRow = {
  readonly payment_id: string
  readonly id: string
  readonly kind: string
  readonly attempt_id: string
  readonly refund_id: string | null
  readonly amount: bigint
  readonly provider_account_id: string
  readonly updated_at: Date
}
type RefundRow = {
  readonly payment_id: string
  readonly id: string
  readonly status: RefundHistory['status']
  readonly amount: bigint
  readonly created_at: Date
  readonly updated_at: Date
}

export type Page = { readonly after: string; readonly limit: number }

/** A page of payments in the order of their ids, without those that captured nothing. */
export async function findPaymentPage(view: View, { after, limit }: Page) {
  const rows = await selectPayments(view, sql`payment.id > ${after}::uuid order by payment.id limit ${limit}`)
  return {
    histories: await toHistories(view, rows),
    lastUuid: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  }
}

export async function findPaymentHistories(
  view: View,
  ids: readonly Id<'payment'>[],
): Promise<PaymentHistory[]> {
  const rows = await selectPayments(
    view,
    sql`payment.id = any(${ids.map(uuidOf)}::uuid[]) order by payment.id`,
  )
  return toHistories(view, rows)
}

/** Null if the payment was applied to its invoice. */
export async function findUnappliedPayment(view: View, id: Id<'payment'>): Promise<PaymentHistory | null> {
  const rows = await selectPayments(view, sql`payment.id = ${uuidOf(id)}::uuid`)
  const [history] = await toHistories(
    view,
    rows.filter(({ applied_at }) => applied_at === null),
  )
  return history ?? null
}

async function selectPayments(view: View, condition: RawBuilder<unknown>): Promise<PaymentRow[]> {
  const { rows } = await sql<PaymentRow>`
    select payment.id, payment.currency, payment.status, payment.cancel_requested_at, payment.amount_captured,
      payment.amount_refunding, payment.amount_refunded, payment.amount_unapplied, payment.invoice_id,
      invoice.paid_at as applied_at, invoice.amount_due
    from payments as payment
      left join invoices as invoice on invoice.workspace_id = payment.workspace_id
        and invoice.id = payment.invoice_id and invoice.payment_id = payment.id
    where payment.workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid
      -- Returns exist only since the ledger does, so a payment with one lacks no postings.
      and payment.amount_reversed = 0 and ${condition}`.execute(view.db)
  return rows
}

async function toHistories(view: View, all: readonly PaymentRow[]): Promise<PaymentHistory[]> {
  const rows = all.filter((row) => row.amount_captured > 0n || row.amount_unapplied > 0n)
  const uuids = rows.map(({ id }) => id)
  if (uuids.length === 0) return []
  // Postings are read last, so that they include those of every change that the other statements have read,
  // unless a process without a ledger made the change.
  const operations = await findOperations(view, uuids)
  const refunds = await findRefunds(view, uuids)
  const postedOf = await findPostedLines(view, uuids)
  return rows.map((row) =>
    toHistory(view, row, {
      operations: operations.get(row.id) ?? [],
      refunds: refunds.get(row.id) ?? [],
      posted: postedOf(row.id),
    }),
  )
}

async function findOperations(view: View, paymentUuids: readonly string[]) {
  const { rows } = await sql<OperationRow>`
    select payment_id, id, kind, attempt_id, refund_id, amount, provider_account_id, updated_at from operations
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and payment_id = any(${paymentUuids}::uuid[])
      and status = 'succeeded' and (kind in ('capture', 'void', 'refund') or kind = 'authorize' and capture)
    order by id`.execute(view.db)
  return Map.groupBy(rows, ({ payment_id }) => payment_id)
}

async function findRefunds(view: View, paymentUuids: readonly string[]) {
  const { rows } = await sql<RefundRow>`
    select payment_id, id, status, amount, created_at, updated_at from refunds
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and payment_id = any(${paymentUuids}::uuid[])
    order by id`.execute(view.db)
  return Map.groupBy(rows, ({ payment_id }) => payment_id)
}

type Parts = Pick<PaymentHistory, 'posted'> & {
  readonly operations: readonly OperationRow[]
  readonly refunds: readonly RefundRow[]
}

function toHistory(
  { caller: { mode } }: View,
  row: PaymentRow,
  { operations, refunds, posted }: Parts,
): PaymentHistory {
  const isVoided = ({ attempt_id }: OperationRow) =>
    operations.some((other) => other.kind === 'void' && other.attempt_id === attempt_id)
  const refundedAt = new Map(
    operations.map((operation) => [operation.refund_id, operation.provider_account_id]),
  )
  return {
    id: idFromUuid('payment', mode, row.id),
    currency: row.currency,
    status: row.status,
    cancelRequestedAt: row.cancel_requested_at,
    amountCaptured: row.amount_captured,
    amountRefunding: row.amount_refunding,
    amountRefunded: row.amount_refunded,
    amountUnapplied: row.amount_unapplied,
    invoiceId: idOrNull('invoice', mode, row.invoice_id),
    applied:
      row.applied_at === null || row.amount_due === null
        ? null
        : { at: row.applied_at, amountDue: row.amount_due },
    captures: operations
      .filter(({ kind }) => kind === 'authorize' || kind === 'capture')
      .map((operation) => ({
        id: idFromUuid('operation', mode, operation.id),
        amount: operation.amount,
        providerAccountId: idFromUuid('provider_account', mode, operation.provider_account_id),
        at: operation.updated_at,
        isVoided: isVoided(operation),
      })),
    refunds: refunds.map((refund) => ({
      id: idFromUuid('refund', mode, refund.id),
      status: refund.status,
      amount: refund.amount,
      providerAccountId: idOrNull('provider_account', mode, refundedAt.get(refund.id) ?? null),
      requestedAt: refund.created_at,
      updatedAt: refund.updated_at,
    })),
    posted,
  }
}

export type UnappliedChange = { readonly id: Id<'payment'>; readonly amountUnapplied: bigint }

/** Corrects the amounts of payments that the caller has locked. The API shows neither the amounts nor the change. */
export async function updateUnappliedAmounts(tx: Tx, changes: readonly UnappliedChange[]): Promise<void> {
  if (changes.length === 0) return
  await sql`
    update payments set amount_unapplied = change.amount
    from unnest(${changes.map(({ id }) => uuidOf(id))}::uuid[],
      ${changes.map(({ amountUnapplied }) => amountUnapplied)}::int8[]) as change (id, amount)
    where payments.workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and payments.id = change.id
      and payments.id = any(${changes.map(({ id }) => uuidOf(id))}::uuid[])`.execute(tx.db)
}
