/**
 * Proration of the rest of a period. The old amount is credited and the new amount charged for the same
 * seconds, each rounded once. The used part is the full amount minus the credit and is never rounded
 * separately, so that changes at the same instant cancel out exactly.
 */
import { secondsBetween } from '../../../../kernel/calendar.ts'
import {
  type AttachedDiscount,
  discountLines,
  type LineDiscount,
  prorateDiscounts,
} from '../../../../kernel/discounts.ts'
import type { Id } from '../../../../kernel/id.ts'
import {
  amountsOfDraft,
  draftLine,
  type LineDraft,
  type LineInput,
  withDiscounts,
} from '../../../../kernel/invoice-lines.ts'
import { canonical } from '../../../../kernel/json.ts'
import { allocate, money as moneyOf, mulDiv } from '../../../../kernel/money.ts'
import { amountFor } from '../../../../kernel/price-schemes.ts'
import { type CurrentPeriod, flatItems, type Item, type Subscription } from '../subscription.ts'
import { lengthOf, lineFieldsOf } from './period.ts'
import type { MoneyFacts } from './snapshot.ts'
import { chargeOf, creditOf, type TaxFacts } from './tax.ts'

/** The part of a period that remains at an instant. */
export type RemainingTime = {
  readonly seconds: number
  readonly periodSeconds: number
  /** The seconds that the invoice of the period billed: fewer than `periodSeconds` for a partial first period. */
  readonly billedSeconds: number
  readonly service: { readonly startAt: Date; readonly endAt: Date }
}

export function remainingTimeOf(period: CurrentPeriod, at: Date): RemainingTime {
  const seconds = Math.max(0, secondsBetween(at, period.endAt))
  return { seconds, ...lengthsOf(period), service: { startAt: at, endAt: period.endAt } }
}

/** The remaining time of a period while the subscription is paused. */
export function pausedRemainingTime(
  period: CurrentPeriod,
  remainingSeconds: number,
  at: Date,
): RemainingTime {
  const endAt = new Date(at.getTime() + remainingSeconds * 1000)
  return { seconds: remainingSeconds, ...lengthsOf(period), service: { startAt: at, endAt } }
}

/** A pause makes the period longer, but the invoice never billed more than the full period. */
function lengthsOf(period: CurrentPeriod) {
  const periodSeconds = lengthOf(period)
  return {
    periodSeconds,
    billedSeconds: Math.min(periodSeconds, secondsBetween(period.startAt, period.endAt)),
  }
}

type Change = { readonly from: readonly Item[]; readonly to: readonly Item[] }
type LineContext = Pick<Subscription, 'currency' | 'discounts'> & {
  readonly changeId: Id<'subscription_change'>
  readonly tax: TaxFacts
}

/**
 * Lines for each changed item, with the discounts of the period. An item whose share of a discount changes because of
 * other items is credited and charged again, so that a discount is never applied twice. With `creditsOldItems` false,
 * the old items are not credited.
 */
export function changeLines(
  { currency, changeId, discounts, tax }: LineContext,
  { from, to }: Change,
  remainingTime: RemainingTime,
  creditsOldItems: boolean,
): LineDraft[] {
  const inherited = discounts.filter(({ isInPeriod }) => isInPeriod)
  const before = discountedItems(currency, from, inherited, remainingTime)
  const after = discountedItems(currency, to, inherited, remainingTime)
  const isUnchanged = (a: DiscountedItem, b: DiscountedItem) =>
    isSame(a.item, b.item) && (!creditsOldItems || hasSameDiscounts(a, b))
  const line = (rule: 'unused' | 'remaining') => (discounted: DiscountedItem) =>
    prorate(currency, discounted, remainingTime, {
      rule,
      changeId,
      ...(rule === 'unused' ? creditOf(tax, discounted.item) : chargeOf(tax, discounted.item)),
    })
  const removed = before.filter((item) => !after.some((other) => isUnchanged(item, other)))
  const added = after.filter((item) => !before.some((other) => isUnchanged(item, other)))
  return [...(creditsOldItems ? removed.map(line('unused')) : []), ...added.map(line('remaining'))]
}

/** An item with the amount and the discounts of the billed part of the period. */
type DiscountedItem = {
  readonly item: Item
  readonly amount: bigint
  readonly discounts: readonly LineDiscount[]
}

/** Items with usage are not prorated: their usage is billed. */
export function discountedItems(
  currency: Subscription['currency'],
  items: readonly Item[],
  discounts: readonly AttachedDiscount[],
  { billedSeconds, periodSeconds }: RemainingTime,
): DiscountedItem[] {
  const flat = flatItems(items)
  const lines = flat.map((item) => ({
    amount: mulDiv(amountFor(item, item.quantity), BigInt(billedSeconds), BigInt(periodSeconds)),
    productId: item.productId,
    itemId: item.id,
  }))
  const applied = discountLines(currency, lines, discounts)
  return flat.map((item, index) => ({
    item,
    amount: lines[index]?.amount ?? 0n,
    discounts: applied[index] ?? [],
  }))
}

function prorate(
  currency: Subscription['currency'],
  { item, amount, discounts }: DiscountedItem,
  { seconds, periodSeconds, billedSeconds, service }: RemainingTime,
  fields: Pick<LineInput, 'changeId' | 'taxRate' | 'description' | 'sourceLineId'> & {
    readonly rule: 'unused' | 'remaining'
  },
): LineDraft {
  const line = draftLine(currency, {
    ...fields,
    service,
    numeratorSeconds: seconds,
    denominatorSeconds: periodSeconds,
    ...lineFieldsOf(item),
  })
  const sign = fields.rule === 'unused' ? -1n : 1n
  const prorated = prorateDiscounts({ amount, discounts }, sign * line.amount, {
    part: seconds,
    whole: billedSeconds,
  })
  return withDiscounts(
    currency,
    line,
    prorated.map((discount) => ({ ...discount, amount: sign * discount.amount })),
  )
}

const hasSameDiscounts = (a: DiscountedItem, b: DiscountedItem) =>
  canonical(a.discounts.map(({ id, amount }) => [id, String(amount)])) ===
  canonical(b.discounts.map(({ id, amount }) => [id, String(amount)]))

function isSame(a: Item, b: Item): boolean {
  return a.id === b.id && a.priceId === b.priceId && a.quantity === b.quantity
}

/** What the customer pays for the lines: the tax is included. */
export function grossOf(currency: Subscription['currency'], lines: readonly LineDraft[]): bigint {
  return amountsOfDraft({ currency, lines }).total
}

/** The value of the remaining time with its tax, whether or not it was paid. */
export function unusedValue(
  { items, ...context }: LineContext & Pick<Subscription, 'items'>,
  remainingTime: RemainingTime,
): bigint {
  return -grossOf(context.currency, changeLines(context, { from: items, to: [] }, remainingTime, true))
}

/** Credit lines for the remaining time, limited to the amount that was paid for the period. */
export function unusedLines(
  { items, ...context }: LineContext & Pick<Subscription, 'items'>,
  remainingTime: RemainingTime,
  paid: bigint,
): LineDraft[] {
  const lines = changeLines(context, { from: items, to: [] }, remainingTime, true)
  return limitCredits(context.currency, lines, paid)
}

/**
 * The lines of a change. The credits exceed the charges by at most `limit`, so that amounts that credit notes
 * and refunds have returned are not credited again.
 */
export function limitChange(
  currency: Subscription['currency'],
  lines: readonly LineDraft[],
  limit: bigint | null,
): LineDraft[] {
  if (limit === null) return [...lines]
  const charges = lines.filter(({ kind }) => kind !== 'proration_credit')
  const credits = lines.filter(({ kind }) => kind === 'proration_credit')
  return [...limitCredits(currency, credits, limit + grossOf(currency, charges)), ...charges]
}

/**
 * Credit lines, limited to a value. The amounts of limited lines include the tax, so that they add up to exactly the
 * limit.
 */
export function limitCredits(
  currency: Subscription['currency'],
  lines: readonly LineDraft[],
  limit: bigint,
  rule: 'unused_paid' | 'usage_paid' = 'unused_paid',
): LineDraft[] {
  const amounts = amountsOfDraft({ currency, lines })
  const value = -amounts.total
  if (value <= limit) return lines.filter(({ amount }) => amount !== 0n)
  if (limit <= 0n) return []
  const weights = amounts.lines.map(({ net, tax }) => -(net + tax))
  return allocate(moneyOf(limit, currency), weights).flatMap(({ amount }, index) => {
    const line = lines[index] as LineDraft
    const { subscriptionItemId, priceId, sourceLineId, description, taxRate = null } = line
    if (amount === 0n) return []
    const wholeAmount = { numeratorSeconds: 1, denominatorSeconds: 1, quantity: 1 }
    return draftLine(currency, {
      rule,
      changeId: line.explanation.changeId ?? null,
      service: line.service,
      ...wholeAmount,
      unitAmountDecimal: String(amount),
      subscriptionItemId,
      priceId,
      sourceLineId,
      ...(description === undefined ? {} : { description }),
      taxRate: taxRate && { ...taxRate, inclusive: true },
    })
  })
}

/** Whether the invoice of the period was paid, or still can be. */
export function isPaidOrPayable({ current }: MoneyFacts): boolean {
  return current !== null && current.status !== 'void' && current.status !== 'uncollectible'
}
