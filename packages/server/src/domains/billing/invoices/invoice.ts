/**
 * An invoice: what a customer owes for a period or a change, line by line. The lines explain their amounts
 * and never change after finalization. The amounts of the invoice show how much is due, paid and covered by
 * credit.
 */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Mode } from '../../../kernel/id.ts'
import type {
  InvoiceDraft,
  InvoicePeriod,
  InvoiceReason,
  InvoiceTerms,
  LineDraft,
} from '../../../kernel/invoice-lines.ts'
import { minimumCharge } from '../../../kernel/money.ts'
import type { Parties } from '../../../kernel/parties.ts'
import type { Status } from './machine.ts'
import type { TaxStatus } from './tax.ts'

export type Line = LineDraft & {
  readonly id: Id<'invoice_line'>
  /** The name of the product when the line was written. */
  readonly description: string | null
  /** The amount after discounts, without tax. */
  readonly net: bigint
  readonly tax: bigint
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
  /** All tax, whether it is added to the amounts of the lines or included in them. */
  readonly taxTotal: bigint
  readonly taxIncluded: bigint
  readonly total: bigint
  readonly creditApplied: bigint
  readonly creditGranted: bigint
  readonly amountDue: bigint
  readonly amountPaid: bigint
  /** The total of the credit notes of the invoice. */
  readonly amountCredited: bigint
  /** The tax in the total of the credit notes. */
  readonly taxCredited: bigint
  /**
   * The part of the credit notes that reduced the amount owed. It is also included in `creditApplied`, and is
   * not returned to the customer if the invoice is voided.
   */
  readonly creditedOwed: bigint
  /** The part of the credit notes that became customer credit. */
  readonly creditedBalance: bigint
  /** The unearned amount that credit notes reversed. */
  readonly unearnedCredited: bigint
}

export type Invoice = Amounts &
  InvoiceTerms & {
    readonly id: Id<'invoice'>
    readonly status: Status
    readonly reason: InvoiceReason
    readonly seriesId: Id<'invoice_series'>
    readonly sequenceNumber: bigint | null
    readonly number: string | null
    /** Set if the numbers restart at 1 every year: the year, and the number within the year. */
    readonly numberYear: number | null
    readonly numberInYear: bigint | null
    readonly customerId: Id<'customer'>
    /** Null for a one-off invoice. */
    readonly subscriptionId: Id<'subscription'> | null
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
    /**
     * When the next collection attempt is due. For an invoice that is sent to the customer: when the next
     * reminder is due.
     */
    readonly nextAttemptAt: Date | null
    /** Set while the subscription has a result of this invoice to process. */
    readonly subscriptionDueAt: Date | null
    /** Set while dunning has a result of this invoice to process. */
    readonly dunningDueAt: Date | null
    readonly dueAt: Date | null
    readonly overdueSinceAt: Date | null
    readonly finalizedAt: Date | null
    /** When it was last sent to the customer by e-mail. */
    readonly sentAt: Date | null
    readonly reminderCount: number
    readonly paidAt: Date | null
    /**
     * When the subscription left the period that the invoice bills. The total of the invoice is earned at
     * that time.
     */
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
    /**
     * Seller and customer as they were at finalization; null for a draft, and for invoices that earlier
     * versions finalized.
     */
    readonly parties: Parties | null
    /**
     * The state of tax that a tax provider computes. Null: no tax, or tax from the tax rates of the
     * workspace.
     */
    readonly taxStatus: TaxStatus | null
    /** Why the tax could not be computed. */
    readonly taxError: string | null
    /** The legal fields that were missing when the invoice was, or could not be, finalized. */
    readonly missing: readonly string[]
    /** When finalizing the draft first failed because legal fields are missing. */
    readonly blockedSinceAt: Date | null
    /** The parties are kept until this time, even if the customer is deleted. */
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

/**
 * The amount that was paid, by payments or with credit, and not returned to the customer. Pending refunds
 * count as returned.
 */
export function keptOf(invoice: Invoice): bigint {
  const paid = invoice.amountPaid + invoice.creditApplied - invoice.creditedOwed
  return paid - invoice.amountRefunded - invoice.amountRefunding - invoice.creditedBalance
}

/**
 * The applied credit that credit notes have left: what they reversed was never customer credit, and what they returned as
 * credit is not returned again by a void, even if the bank has returned the payment.
 */
export function creditLeftByNotes({ creditApplied, creditedOwed, creditedBalance }: Invoice): bigint {
  return atLeastZero(creditApplied - creditedOwed - creditedBalance)
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
  { total, currency, subscriptionId }: Pick<Invoice, 'total' | 'currency' | 'subscriptionId'>,
  credit: bigint,
): FinalizationAmounts {
  if (total <= 0n) return { creditApplied: 0n, creditGranted: -total, carriedOver: 0n }
  const available = credit < total ? credit : total
  const isTooSmall = total - available < minimumCharge(currency)
  // Without a subscription there is no next invoice, so credit is applied only as far as the rest can be charged.
  if (subscriptionId === null)
    return {
      creditApplied:
        isTooSmall && available < total ? atLeastZero(total - minimumCharge(currency)) : available,
      creditGranted: 0n,
      carriedOver: 0n,
    }
  return { creditApplied: available, creditGranted: 0n, carriedOver: isTooSmall ? total - available : 0n }
}

const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n)

/** The time over which the first attempts of renewals are spread. In test mode there is no delay. */
const spreadSeconds: { readonly [M in Mode]: number } = { live: 60 * 60, test: 0 }

/** When an invoice that is finalized now is first collected; null if it is not collected automatically. */
export function firstAttemptAt(
  { collect, subscriptionId }: Pick<Invoice, 'collect' | 'subscriptionId'>,
  mode: Mode,
  now: Date,
): Date | null {
  if (collect === 'never') return null
  return collect === 'spread' && subscriptionId !== null
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
