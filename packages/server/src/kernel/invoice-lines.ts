/**
 * What an invoice is made of, and how each of its lines explains itself. Whoever plans an invoice writes these
 * drafts, whoever keeps invoices stores them; both compute an amount here, so a line always recomputes from
 * its own explanation.
 */
import type { Currency } from './currency.ts'
import type { Id } from './id.ts'
import { formatDecimal, money, mulDiv, multiplyDecimal } from './money.ts'

export const lineKinds = ['cycle', 'proration_credit', 'proration_debit', 'carried'] as const
export type LineKind = (typeof lineKinds)[number]

/**
 * `full_period`: the whole price. `first_stub`: the part of a first period that is shorter than nominal, and
 * `free_stub` the same without a charge. `remaining`: the rest of a period at a new price. `unused`: the rest
 * at the old one, taken back. `unused_paid`: the same, no more than was paid. `carried`: an amount that an
 * earlier invoice was too small to charge.
 */
export const lineRules = [
  ...(['full_period', 'first_stub', 'free_stub', 'remaining', 'unused', 'unused_paid', 'carried'] as const),
] as const
export type LineRule = (typeof lineRules)[number]

export type Explanation = {
  readonly rule: LineRule
  /** Minor units, with up to 12 decimals. */
  readonly unitAmountDecimal: string
  readonly quantity: number
  /** The unit times the quantity, rounded once: the amount of a whole period. */
  readonly base: bigint
  readonly numeratorSeconds: number
  readonly denominatorSeconds: number
  readonly rounding: 'half_away'
  readonly changeId: Id<'subscription_change'> | null
  /** The same for people. */
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
}

export const invoiceReasons = ['start', 'cycle', 'change', 'resume', 'cancel'] as const
export type InvoiceReason = (typeof invoiceReasons)[number]

export type InvoicePeriod = {
  readonly index: number
  readonly epoch: number
  readonly startAt: Date
  readonly endAt: Date
}

/** An invoice that is wanted. Its total is the sum of its lines; a total below zero becomes credit. */
export type InvoiceDraft = {
  /** Drawn by whoever plans it, so that what is planned beside it can name it. */
  readonly id: Id<'invoice'>
  readonly reason: InvoiceReason
  readonly customerId: Id<'customer'>
  readonly subscriptionId: Id<'subscription'>
  readonly currency: Currency
  /** The period that it bills; null if it only changes what was billed. */
  readonly period: InvoicePeriod | null
  readonly changeId: Id<'subscription_change'> | null
  readonly lines: readonly LineDraft[]
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  /** `spread`: the first attempt may wait a little, so that not all renewals of an hour come at once. */
  readonly collect: 'now' | 'spread' | 'never'
  readonly finalizeAt: Date
  readonly testClockId: Id<'test_clock'> | null
  /** A total below zero lowers what is owed on this invoice first; only the rest becomes credit. */
  readonly reducesInvoiceId: Id<'invoice'> | null
}

/** The sign is that of the rule: what was not used is taken back. */
const signOf: { readonly [R in LineRule]: bigint } = {
  full_period: 1n,
  first_stub: 1n,
  free_stub: 1n,
  remaining: 1n,
  unused: -1n,
  unused_paid: -1n,
  carried: 1n,
}

/** What the explanation comes to. It trusts nothing but the price, the quantity and the seconds. */
export function amountOf(explanation: Omit<Explanation, 'base' | 'text' | 'changeId' | 'rounding'>): bigint {
  const { rule, unitAmountDecimal, quantity, numeratorSeconds, denominatorSeconds } = explanation
  const base = multiplyDecimal(unitAmountDecimal, quantity)
  return signOf[rule] * mulDiv(base, BigInt(numeratorSeconds), BigInt(denominatorSeconds))
}

/** The sum of lines, which is the total of their invoice. */
export function totalOf(lines: readonly { readonly amount: bigint }[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}

export type Wanted = Omit<LineDraft, 'amount' | 'explanation' | 'sourceLineId' | 'kind'> & {
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
}

/** A line with its amount and the reason for it. */
export function draftLine(currency: Currency, wanted: Wanted): LineDraft {
  const { rule, unitAmountDecimal, numeratorSeconds, denominatorSeconds, changeId, ...rest } = wanted
  const terms = {
    ...{ rule, unitAmountDecimal, quantity: wanted.quantity },
    ...{ numeratorSeconds, denominatorSeconds },
  }
  const base = multiplyDecimal(unitAmountDecimal, wanted.quantity)
  return {
    ...rest,
    kind: kindOf[rule],
    amount: amountOf(terms),
    sourceLineId: wanted.sourceLineId ?? null,
    explanation: { ...terms, base, rounding: 'half_away', changeId, text: textOf(currency, base, terms) },
  }
}

const words: { readonly [R in LineRule]: string } = {
  full_period: 'a whole period',
  first_stub: 'the first, shorter period',
  free_stub: 'the first, shorter period, free',
  remaining: 'the rest of the period',
  unused: 'unused',
  unused_paid: 'unused, as far as it was paid',
  carried: 'carried over',
}

/** `29.99 x 1,166,400 s / 2,419,200 s, unused`. */
function textOf(
  currency: Currency,
  base: bigint,
  terms: Pick<Explanation, 'rule' | 'numeratorSeconds' | 'denominatorSeconds'>,
): string {
  const { rule, numeratorSeconds: part, denominatorSeconds: whole } = terms
  const amount = formatDecimal(money(base, currency))
  if (part === whole) return `${amount}, ${words[rule]}`
  return `${amount} x ${grouped(part)} s / ${grouped(whole)} s, ${words[rule]}`
}

/** By hand: `toLocaleString` depends on what the machine knows of languages. */
function grouped(seconds: number): string {
  return String(seconds).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
