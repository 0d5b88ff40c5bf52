/**
 * An invoice: what a customer owes for a period or for a change, line by line. Its lines explain their amounts and
 * stay as they were sent; its amounts say how much of it is paid, and by what.
 */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../kernel/clock.ts'
import type { Currency } from '../../kernel/currency.ts'
import type { Id, Mode } from '../../kernel/id.ts'
import type { InvoiceDraft, InvoicePeriod, InvoiceReason, LineDraft } from '../../kernel/invoice-lines.ts'
import { smallestCharge } from '../../kernel/money.ts'
import type { Status } from './machine.ts'

export type Line = LineDraft & {
  readonly id: Id<'invoice_line'>
  /** What it is for, as it was called then. */
  readonly description: string | null
}

/** Why the last attempt to collect it failed. */
export type CollectionFailure = {
  /** Null: there was no card to ask. */
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
  readonly livePaymentId: Id<'payment'> | null
  /** Whether it is not known what became of the payment that is under way. */
  readonly unresolved: boolean
  readonly paymentId: Id<'payment'> | null
  readonly amountRefunded: bigint
  readonly paidOutOfBand: boolean
  readonly attemptCount: number
  readonly lastFailure: CollectionFailure | null
  readonly campaignId: Id<'dunning_campaign'> | null
  readonly held: boolean
  readonly finalizeAt: Date | null
  readonly nextAttemptAt: Date | null
  readonly subscriptionDueAt: Date | null
  readonly dunningDueAt: Date | null
  readonly dueAt: Date | null
  readonly overdueSinceAt: Date | null
  readonly finalizedAt: Date | null
  readonly paidAt: Date | null
  readonly voidedAt: Date | null
  readonly voidReason: VoidReason | null
  readonly uncollectibleAt: Date | null
  readonly testClockId: Id<'test_clock'> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** What is still owed. Nothing is, once it is void. */
export function remainingOf({ status, amountDue, amountPaid }: Invoice): bigint {
  return status === 'void' ? 0n : amountDue - amountPaid
}

export function isOverdue({ status, overdueSinceAt }: Invoice): boolean {
  return status === 'open' && overdueSinceAt !== null
}

export function paymentStateOf({ livePaymentId, unresolved }: Invoice): 'none' | 'in_flight' | 'unknown' {
  if (livePaymentId === null) return 'none'
  return unresolved ? 'unknown' : 'in_flight'
}

/** When it is tried next by itself; the database computes the same. */
export function collectAtOf({ status, livePaymentId, held, nextAttemptAt }: Invoice): Date | null {
  return status === 'open' && livePaymentId === null && !held ? nextAttemptAt : null
}

/** `INV-000042`; a series that outgrows six digits goes on with seven. */
export function numberOf(prefix: string, sequenceNumber: bigint): string {
  return `${prefix}-${String(sequenceNumber).padStart(6, '0')}`
}

/** What credit does to an invoice that is finalized, and what is too small to be charged. */
export type Closing = {
  readonly creditApplied: bigint
  readonly creditGranted: bigint
  /** Goes to the next invoice instead. */
  readonly carried: bigint
}

export function closingOf({ total, currency }: Pick<Invoice, 'total' | 'currency'>, credit: bigint): Closing {
  if (total <= 0n) return { creditApplied: 0n, creditGranted: -total, carried: 0n }
  const creditApplied = credit < total ? credit : total
  const due = total - creditApplied
  return { creditApplied, creditGranted: 0n, carried: due < smallestCharge(currency) ? due : 0n }
}

/** How far the first attempts of an hour's renewals are spread. Tests do not wait. */
const spreadSeconds: { readonly [M in Mode]: number } = { live: 60 * 60, test: 0 }

/** When an invoice that is finalized now is tried for the first time; null: not by itself. */
export function firstAttemptAt(
  { collect, subscriptionId }: Pick<Invoice, 'collect' | 'subscriptionId'>,
  mode: Mode,
  now: Date,
): Date | null {
  if (collect === 'never') return null
  return collect === 'spread' ? addSeconds(now, placeIn(spreadSeconds[mode], subscriptionId)) : now
}

/** The same for a subscription each time, and for all of them spread evenly. */
export function placeIn(spread: number, subscriptionId: string): number {
  if (spread === 0) return 0
  return createHash('sha256').update(subscriptionId).digest().readUInt32BE() % spread
}
