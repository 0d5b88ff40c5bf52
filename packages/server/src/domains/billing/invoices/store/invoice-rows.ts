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
  'tax_included',
  'total',
  'credit_applied',
  'credit_granted',
  'amount_due',
  'amount_paid',
  'amount_credited',
  'tax_credited',
  'credited_owed',
  'credited_balance',
  'unearned_credited',
  'reduces_invoice_id',
  'payment_method_id',
  'payment_route_id',
  'collect',
  'collection_method',
  'terms_days',
  'memo',
  'purchase_order',
  'dunning_policy_id',
  'discounts',
  'sent_at',
  'reminder_count',
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
  readonly tax_status: string | null
  readonly tax_error: string | null
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

/** The members that finalization sets. */
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

function termsOf(mode: Mode, row: InvoiceRow) {
  return {
    collectionMethod: row.collection_method as Invoice['collectionMethod'],
    termsDays: row.terms_days,
    memo: row.memo,
    purchaseOrder: row.purchase_order,
    dunningPolicyId: idOrNull('dunning_policy', mode, row.dunning_policy_id),
    discounts: (row.discounts as Invoice['discounts'] | null) ?? [],
    sentAt: row.sent_at,
    reminderCount: row.reminder_count,
  }
}

/** The amounts that credit notes reversed. */
function creditedOf(row: InvoiceRow) {
  return {
    amountCredited: row.amount_credited,
    taxCredited: row.tax_credited,
    creditedOwed: row.credited_owed,
    creditedBalance: row.credited_balance,
    unearnedCredited: row.unearned_credited,
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
    subscriptionId: id('subscription', row.subscription_id),
    ...termsOf(mode, row),
    currency: row.currency as Currency,
    period: periodOf(row),
    changeId: id('subscription_change', row.change_id),
    lines,
    subtotal: row.subtotal,
    discountTotal: row.discount_total,
    taxTotal: row.tax_total,
    taxIncluded: row.tax_included,
    total: row.total,
    creditApplied: row.credit_applied,
    creditGranted: row.credit_granted,
    amountDue: row.amount_due,
    amountPaid: row.amount_paid,
    ...creditedOf(row),
    reducesInvoiceId: id('invoice', row.reduces_invoice_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    paymentRouteId: id('payment_route', row.payment_route_id),
    collect: row.collect as Invoice['collect'],
    pendingPaymentId: id('payment', row.live_payment_id),
    unresolved: row.unresolved === true,
    paymentId: id('payment', row.payment_id),
    amountRefunded: row.amount_refunded ?? 0n,
    amountRefunding: row.amount_refunding ?? 0n,
    taxStatus: row.tax_status as Invoice['taxStatus'],
    taxError: row.tax_error,
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
