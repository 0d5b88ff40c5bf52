/**
 * An invoice: what a customer owes for a period or a change, line by line. The lines explain their amounts
 * and never change after finalization. The amounts of the invoice show how much is due, paid and covered by
 * credit.
 */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Mode } from '../../../kernel/id.ts'
import type { InvoiceDraft, InvoicePeriod, InvoiceReason, LineDraft } from '../../../kernel/invoice-lines.ts'
import { minimumCharge } from '../../../kernel/money.ts'
import type { Parties } from '../../../kernel/parties.ts'
import type { Status } from './machine.ts'

export type Line = LineDraft & {
  readonly id: Id<'invoice_line'>
  /** The name of the product when the line was written. */
  readonly description: string | null
}

/** Why the last attempt to collect the invoice failed. */
export type CollectionFailure = {
  /** Null: there was no card to charge. */
  readonly payment_id: string | null
  readonly code: string
  readonly class: string
  readonly advice_code: string
  readonly message: string
  readonly network_code: string | null
  readonly at: string
}

export const voidReasons = ['requested', 'pause', 'activation_expired'] as const
export type VoidReason = (typeof voidReasons)[number]

export const returnMethods = ['credit', 'refund'] as const

/** The amount to return to the customer once the invoice is paid, as credit or as a refund. */
export type ReturnOnPayment = { readonly as: (typeof returnMethods)[number]; readonly amount: bigint }

export type Amounts = {
  readonly subtotal: bigint
  readonly discountTotal: bigint
  readonly taxTotal: bigint
  readonly total: bigint
  readonly creditApplied: bigint
  readonly creditGranted: bigint
  readonly amountDue: bigint
  readonly amountPaid: bigint
}

export type Invoice = Amounts & {
  readonly id: Id<'invoice'>
  readonly status: Status
  readonly reason: InvoiceReason
  readonly seriesId: Id<'invoice_series'>
  readonly sequenceNumber: bigint | null
  readonly number: string | null
  /** If the numbers begin with 1 again every year: the year, and the number in it. */
  readonly numberYear: number | null
  readonly numberInYear: bigint | null
  readonly customerId: Id<'customer'>
  readonly subscriptionId: Id<'subscription'>
  readonly currency: Currency
  readonly period: InvoicePeriod | null
  readonly changeId: Id<'subscription_change'> | null
  readonly lines: readonly Line[]
  readonly reducesInvoiceId: Id<'invoice'> | null
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly collect: InvoiceDraft['collect']
  /** The payment in progress. */
  readonly pendingPaymentId: Id<'payment'> | null
  /** Whether the outcome of the payment in progress is unknown. */
  readonly unresolved: boolean
  /** The payment that paid the invoice. */
  readonly paymentId: Id<'payment'> | null
  readonly amountRefunded: bigint
  /** The amount of pending refunds. */
  readonly amountRefunding: bigint
  readonly paidOutOfBand: boolean
  readonly attemptCount: number
  readonly lastFailure: CollectionFailure | null
  readonly campaignId: Id<'dunning_campaign'> | null
  readonly returnOnPayment: ReturnOnPayment | null
  /**
   * Whether automatic collection is suspended: the subscription was paused or cancelled with `open_invoices:
   * stop`.
   */
  readonly held: boolean
  readonly finalizeAt: Date | null
  readonly nextAttemptAt: Date | null
  /** Set while the subscription has a result of this invoice to process. */
  readonly subscriptionDueAt: Date | null
  /** Set while dunning has a result of this invoice to process. */
  readonly dunningDueAt: Date | null
  readonly dueAt: Date | null
  readonly overdueSinceAt: Date | null
  readonly finalizedAt: Date | null
  readonly paidAt: Date | null
  /** When the subscription left the period that the invoice bills. From then on its total is earned. */
  readonly earnedAt: Date | null
  /**
   * When the subscription withdrew the invoice while a payment was in progress. The invoice becomes void when
   * the payment has ended, and never becomes paid.
   */
  readonly withdrawnAt: Date | null
  /** The reason for the void that follows; null if the invoice was not withdrawn. */
  readonly withdrawReason: VoidReason | null
  readonly voidedAt: Date | null
  readonly voidReason: VoidReason | null
  readonly uncollectibleAt: Date | null
  /** Seller and customer as they were at finalization; null for a draft, and for invoices of earlier versions. */
  readonly parties: Parties | null
  /** The legal fields that were missing when the invoice was, or could not be, finalized. */
  readonly missing: readonly string[]
  /** When finalizing the draft first failed because legal fields are missing. */
  readonly blockedSinceAt: Date | null
  /** Until then the parties are kept even if the customer is deleted. */
  readonly retainUntil: Date | null
  readonly testClockId: Id<'test_clock'> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** The amount that is still owed: nothing for a void invoice. */
export function remainingOf({ status, amountDue, amountPaid }: Invoice): bigint {
  return status === 'void' ? 0n : amountDue - amountPaid
}

/** The ledger account with the value of the invoice: `unearned` until the subscription has left its period. */
export function revenueAccountOf({
  period,
  earnedAt,
}: Pick<Invoice, 'period' | 'earnedAt'>): 'unearned' | 'sales' {
  return period !== null && earnedAt === null ? 'unearned' : 'sales'
}

export function isOverdue({ status, overdueSinceAt }: Invoice): boolean {
  return status === 'open' && overdueSinceAt !== null
}

export function paymentStateOf({ pendingPaymentId, unresolved }: Invoice): 'none' | 'in_flight' | 'unknown' {
  if (pendingPaymentId === null) return 'none'
  return unresolved ? 'unknown' : 'in_flight'
}

/** When the next automatic collection is due. The generated column `collect_at` has the same definition. */
export function collectAtOf({ status, pendingPaymentId, held, nextAttemptAt }: Invoice): Date | null {
  return status === 'open' && pendingPaymentId === null && !held ? nextAttemptAt : null
}

/** `INV-000042`, or `INV-2026-000042` with a year in the prefix; a series beyond six digits continues with seven. */
export function formatInvoiceNumber(prefix: string, sequenceNumber: bigint): string {
  return `${prefix}-${String(sequenceNumber).padStart(6, '0')}`
}

/** The credit applied or granted at finalization, and an amount that is too small to be charged. */
export type FinalizationAmounts = {
  readonly creditApplied: bigint
  readonly creditGranted: bigint
  /** Too small to be charged, so it is moved to the next invoice. */
  readonly carriedOver: bigint
}

export function finalizationAmountsOf(
  { total, currency }: Pick<Invoice, 'total' | 'currency'>,
  credit: bigint,
): FinalizationAmounts {
  if (total <= 0n) return { creditApplied: 0n, creditGranted: -total, carriedOver: 0n }
  const creditApplied = credit < total ? credit : total
  const due = total - creditApplied
  return { creditApplied, creditGranted: 0n, carriedOver: due < minimumCharge(currency) ? due : 0n }
}

/** The time over which the first attempts of renewals are spread. Test mode does not wait. */
const spreadSeconds: { readonly [M in Mode]: number } = { live: 60 * 60, test: 0 }

/** When an invoice that is finalized now is first collected; null if it is not collected automatically. */
export function firstAttemptAt(
  { collect, subscriptionId }: Pick<Invoice, 'collect' | 'subscriptionId'>,
  mode: Mode,
  now: Date,
): Date | null {
  if (collect === 'never') return null
  return collect === 'spread'
    ? addSeconds(now, spreadOffsetSeconds(spreadSeconds[mode], subscriptionId))
    : now
}

/**
 * The delay of the first attempt: deterministic for a subscription, and evenly distributed over
 * subscriptions.
 */
export function spreadOffsetSeconds(windowSeconds: number, subscriptionId: string): number {
  if (windowSeconds === 0) return 0
  return createHash('sha256').update(subscriptionId).digest().readUInt32BE() % windowSeconds
}
