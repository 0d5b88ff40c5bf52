/**
 * Drafts of invoices and their lines. The planner writes these drafts and the invoices domain stores them.
 * Both compute amounts with the functions here, so the amount of a line can always be recomputed from its
 * explanation.
 */
import type { Currency } from './currency.ts'
import type { Id } from './id.ts'
import { type CalculatedInvoice, calculateInvoice } from './invoice-arithmetic.ts'
import { formatDecimal, money, mulDiv, multiplyDecimal } from './money.ts'

export const lineKinds = ['cycle', 'one_time', 'proration_credit', 'proration_debit', 'carried'] as const
export type LineKind = (typeof lineKinds)[number]

/**
 * `full_period`: the whole price. `first_stub`: the share of a first period that is shorter than a full one.
 * `free_stub`: the same, not charged. `remaining`: the rest of a period at a new price. `unused`: the rest at
 * the old price, credited. `unused_paid`: the same, limited to what was paid. `carried`: an amount that was
 * too small to charge on an earlier invoice. `one_time`: an amount that is charged once, with the first
 * invoice.
 */
export const lineRules = [
  'full_period',
  'first_stub',
  'free_stub',
  'remaining',
  'unused',
  'unused_paid',
  'carried',
  'one_time',
] as const
export type LineRule = (typeof lineRules)[number]

export type Explanation = {
  readonly rule: LineRule
  /** Minor units, with up to 12 decimals. */
  readonly unitAmountDecimal: string
  readonly quantity: number
  /** The unit amount times the quantity, rounded once: the amount of a full period. */
  readonly base: bigint
  readonly numeratorSeconds: number
  readonly denominatorSeconds: number
  readonly rounding: 'half_away'
  readonly changeId: Id<'subscription_change'> | null
  /** The same explanation as readable text. */
  readonly text: string
}

export type LineDraft = {
  readonly kind: LineKind
  readonly amount: bigint
  readonly quantity: number
  readonly priceId: Id<'price'> | null
  readonly subscriptionItemId: Id<'subscription_item'> | null
  readonly service: { readonly startAt: Date; readonly endAt: Date }
  readonly sourceLineId: Id<'invoice_line'> | null
  readonly explanation: Explanation
  /** The name of an amount without a price. Lines with a price have the name of its product. */
  readonly description?: string | null
}

export const invoiceReasons = ['start', 'cycle', 'change', 'resume', 'cancel'] as const
export type InvoiceReason = (typeof invoiceReasons)[number]

export type InvoicePeriod = {
  readonly index: number
  readonly epoch: number
  readonly startAt: Date
  readonly endAt: Date
}

/** An invoice to create. Its total is the sum of its lines; a negative total becomes credit. */
export type InvoiceDraft = {
  /** Assigned by the planner, so that other planned objects can refer to it. */
  readonly id: Id<'invoice'>
  readonly reason: InvoiceReason
  readonly customerId: Id<'customer'>
  readonly subscriptionId: Id<'subscription'>
  readonly currency: Currency
  /** The period that the invoice bills; null if it only adjusts an earlier invoice. */
  readonly period: InvoicePeriod | null
  readonly changeId: Id<'subscription_change'> | null
  readonly lines: readonly LineDraft[]
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  /**
   * `spread`: the first attempt may be delayed a little, so that the renewals of an hour are not all charged
   * at the same time.
   */
  readonly collect: 'now' | 'spread' | 'never'
  readonly finalizeAt: Date
  readonly testClockId: Id<'test_clock'> | null
  /** A negative total first reduces the amount due on this invoice; only the rest becomes credit. */
  readonly reducesInvoiceId: Id<'invoice'> | null
}

/** Unused time is credited, so its amount is negative. */
const signOf: { readonly [R in LineRule]: bigint } = {
  full_period: 1n,
  first_stub: 1n,
  free_stub: 1n,
  remaining: 1n,
  unused: -1n,
  unused_paid: -1n,
  carried: 1n,
  one_time: 1n,
}

/** Recomputes the amount of an explanation from the price, the quantity and the seconds alone. */
export function amountOf(explanation: Omit<Explanation, 'base' | 'text' | 'changeId' | 'rounding'>): bigint {
  const { rule, unitAmountDecimal, quantity, numeratorSeconds, denominatorSeconds } = explanation
  const base = multiplyDecimal(unitAmountDecimal, quantity)
  return signOf[rule] * mulDiv(base, BigInt(numeratorSeconds), BigInt(denominatorSeconds))
}

/** The amounts of an invoice with these lines. Discounts and tax rates are not connected yet, so there are none. */
export function amountsOfDraft({
  currency,
  lines,
}: {
  readonly currency: Currency
  readonly lines: readonly { readonly amount: bigint }[]
}): CalculatedInvoice {
  const amountLines = lines.map(({ amount }) => ({ amount, taxRate: null }))
  return calculateInvoice(currency, amountLines, [])
}

/** The sum of the lines. */
export function totalOf(lines: readonly { readonly amount: bigint }[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}

export type LineInput = Omit<LineDraft, 'amount' | 'explanation' | 'sourceLineId' | 'kind'> & {
  readonly rule: LineRule
  readonly unitAmountDecimal: string
  readonly numeratorSeconds: number
  readonly denominatorSeconds: number
  readonly changeId: Id<'subscription_change'> | null
  readonly sourceLineId?: Id<'invoice_line'> | null
}

const kindOf: { readonly [R in LineRule]: LineKind } = {
  full_period: 'cycle',
  first_stub: 'cycle',
  free_stub: 'cycle',
  remaining: 'proration_debit',
  unused: 'proration_credit',
  unused_paid: 'proration_credit',
  carried: 'carried',
  one_time: 'one_time',
}

/** A line with its amount and its explanation. */
export function draftLine(currency: Currency, input: LineInput): LineDraft {
  const { rule, unitAmountDecimal, numeratorSeconds, denominatorSeconds, changeId, ...rest } = input
  const factors = {
    rule,
    unitAmountDecimal,
    quantity: input.quantity,
    numeratorSeconds,
    denominatorSeconds,
  }
  const base = multiplyDecimal(unitAmountDecimal, input.quantity)
  return {
    ...rest,
    kind: kindOf[rule],
    amount: amountOf(factors),
    sourceLineId: input.sourceLineId ?? null,
    explanation: {
      ...factors,
      base,
      rounding: 'half_away',
      changeId,
      text: explain(currency, base, factors),
    },
  }
}

const ruleLabels: { readonly [R in LineRule]: string } = {
  full_period: 'full period',
  first_stub: 'partial first period',
  free_stub: 'partial first period, free of charge',
  remaining: 'remaining time of the period',
  unused: 'unused time',
  unused_paid: 'unused time, limited to the amount paid',
  carried: 'carried over',
  one_time: 'charged once',
}

/** For example `29.99 x 1,166,400 s / 2,419,200 s, unused time`. */
function explain(
  currency: Currency,
  base: bigint,
  factors: Pick<Explanation, 'rule' | 'numeratorSeconds' | 'denominatorSeconds'>,
): string {
  const { rule, numeratorSeconds: part, denominatorSeconds: whole } = factors
  const amount = formatDecimal(money(base, currency))
  if (part === whole) return `${amount}, ${ruleLabels[rule]}`
  return `${amount} x ${withThousandsSeparators(part)} s / ${withThousandsSeparators(whole)} s, ${ruleLabels[rule]}`
}

/** Not `toLocaleString`: its result depends on the locale data of the machine. */
function withThousandsSeparators(seconds: number): string {
  return String(seconds).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
