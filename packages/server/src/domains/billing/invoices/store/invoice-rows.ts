/** Converts an invoice row to the object. */
import type { Selectable } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { idFromUuid, idOrNull, type Kind, type Mode } from '../../../../kernel/id.ts'
import type { Parties } from '../../../../kernel/parties.ts'
import type { Invoices } from '../../../../platform/db/tables.generated.ts'
import type { CollectionFailure, Invoice, Line, ReturnOnPayment, VoidReason } from '../invoice.ts'
import type { Status } from '../machine.ts'

export const columns = [
  'id',
  'status',
  'reason',
  'series_id',
  'sequence_number',
  'number',
  'number_year',
  'number_in_year',
  'customer_id',
  'subscription_id',
  'currency',
  'epoch',
  'period_index',
  'period_start_at',
  'period_end_at',
  'change_id',
  'subtotal',
  'discount_total',
  'tax_total',
  'total',
  'credit_applied',
  'credit_granted',
  'amount_due',
  'amount_paid',
  'reduces_invoice_id',
  'payment_method_id',
  'payment_route_id',
  'collect',
  'live_payment_id',
  'payment_id',
  'paid_out_of_band',
  'attempt_count',
  'last_failure',
  'campaign_id',
  'held',
  'finalize_at',
  'next_attempt_at',
  'subscription_due_at',
  'dunning_due_at',
  'due_at',
  'overdue_since_at',
  'finalized_at',
  'paid_at',
  'earned_at',
  'voided_at',
  'return_amount',
  'return_as',
  'withdrawn_at',
  'withdraw_reason',
  'void_reason',
  'uncollectible_at',
  'parties',
  'missing',
  'blocked_since_at',
  'retain_until',
  'test_clock_id',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
export type InvoiceRow = Pick<Selectable<Invoices>, (typeof columns)[number]> & {
  readonly unresolved: boolean | null
  readonly amount_refunded: bigint | null
  readonly amount_refunding: bigint | null
}

/**
 * The period, if the invoice bills one. A database constraint guarantees that all columns are set, or none.
 */
function periodOf(row: InvoiceRow): Invoice['period'] {
  const { period_index: index, epoch, period_start_at: startAt, period_end_at: endAt } = row
  if (index === null || epoch === null || startAt === null || endAt === null) return null
  return { index, epoch, startAt, endAt }
}

function returnOf({ return_amount: amount, return_as: as }: InvoiceRow): Invoice['returnOnPayment'] {
  return amount === null || as === null ? null : { amount, as: as as ReturnOnPayment['as'] }
}

/** What finalization sets. */
function finalizationOf(row: InvoiceRow) {
  return {
    sequenceNumber: row.sequence_number,
    number: row.number,
    numberYear: row.number_year,
    numberInYear: row.number_in_year,
    parties: row.parties as Parties | null,
    missing: row.missing,
    blockedSinceAt: row.blocked_since_at,
    retainUntil: row.retain_until,
  }
}

export function fromRow(mode: Mode, row: InvoiceRow, lines: readonly Line[]): Invoice {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  return {
    id: idFromUuid('invoice', mode, row.id),
    status: row.status as Status,
    reason: row.reason as Invoice['reason'],
    seriesId: idFromUuid('invoice_series', mode, row.series_id),
    ...finalizationOf(row),
    customerId: idFromUuid('customer', mode, row.customer_id),
    subscriptionId: idFromUuid('subscription', mode, row.subscription_id),
    currency: row.currency as Currency,
    period: periodOf(row),
    changeId: id('subscription_change', row.change_id),
    lines,
    subtotal: row.subtotal,
    discountTotal: row.discount_total,
    taxTotal: row.tax_total,
    total: row.total,
    creditApplied: row.credit_applied,
    creditGranted: row.credit_granted,
    amountDue: row.amount_due,
    amountPaid: row.amount_paid,
    reducesInvoiceId: id('invoice', row.reduces_invoice_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    paymentRouteId: id('payment_route', row.payment_route_id),
    collect: row.collect as Invoice['collect'],
    pendingPaymentId: id('payment', row.live_payment_id),
    unresolved: row.unresolved === true,
    paymentId: id('payment', row.payment_id),
    amountRefunded: row.amount_refunded ?? 0n,
    amountRefunding: row.amount_refunding ?? 0n,
    paidOutOfBand: row.paid_out_of_band,
    attemptCount: row.attempt_count,
    lastFailure: row.last_failure as CollectionFailure | null,
    campaignId: id('dunning_campaign', row.campaign_id),
    returnOnPayment: returnOf(row),
    held: row.held,
    finalizeAt: row.finalize_at,
    nextAttemptAt: row.next_attempt_at,
    subscriptionDueAt: row.subscription_due_at,
    dunningDueAt: row.dunning_due_at,
    dueAt: row.due_at,
    overdueSinceAt: row.overdue_since_at,
    finalizedAt: row.finalized_at,
    paidAt: row.paid_at,
    earnedAt: row.earned_at,
    withdrawnAt: row.withdrawn_at,
    withdrawReason: row.withdraw_reason as VoidReason | null,
    voidedAt: row.voided_at,
    voidReason: row.void_reason as VoidReason | null,
    uncollectibleAt: row.uncollectible_at,
    testClockId: id('test_clock', row.test_clock_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
