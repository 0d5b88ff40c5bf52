/**
 * Usage is billed after the period in which it occurred. Each metered item has usage periods: one begins when the
 * subscription enters a period or the item is added, and ends when the subscription leaves the period, stops, or
 * changes the price. They are derived from the states of a plan, so every change of a subscription ends and begins
 * them in the same way.
 */
import { secondsBetween } from '../../../../kernel/calendar.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import {
  type AttachedDiscount,
  discountLines,
  type LineDiscount,
  sumByDiscount,
} from '../../../../kernel/discounts.ts'
import type { Id } from '../../../../kernel/id.ts'
import { draftLine, type LineDraft, withDiscounts } from '../../../../kernel/invoice-lines.ts'
import { mulDiv, smallerOf } from '../../../../kernel/money.ts'
import { factorsOf, type PriceFactors, perUnit, withPricing } from '../../../../kernel/price-schemes.ts'
import { type CurrentPeriod, type Item, isMetered, type Subscription } from '../subscription.ts'
import { lengthOf, lineFieldsOf } from './period.ts'
import { discountedItems, limitCredits, remainingTimeOf } from './proration.ts'
import type { Plan } from './snapshot.ts'
import { chargeOf, type TaxFacts } from './tax.ts'

/** How long to wait for late events before a period is billed. */
const graceSeconds = 3600
/** Events are accepted for 35 days, so usage cannot change after that. */
const correctionSeconds = 35 * 86_400

export const closingTimeOf = (endAt: Date): Date => addSeconds(endAt, graceSeconds)
export const settlingTimeOf = (endAt: Date): Date => addSeconds(endAt, graceSeconds + correctionSeconds)

export type UsageChange =
  | {
      readonly action: 'begin'
      readonly item: MeteredItem
      readonly startAt: Date
      readonly periodSeconds: number
    }
  | {
      readonly action: 'end'
      readonly item: MeteredItem
      readonly endAt: Date
      readonly discounts: readonly AttachedDiscount[]
    }

type MeteredItem = Item & { readonly meterId: Id<'meter'> }

/** The usage periods that a plan ends and begins, in order. */
export function usageChangesOf(before: Subscription, { steps }: Plan): UsageChange[] {
  const states = [before, ...steps.map(({ after }) => after)]
  return states.slice(1).flatMap((after, index) => changesBetween(states[index] as Subscription, after))
}

function changesBetween(before: Subscription, after: Subscription): UsageChange[] {
  const [counting, counted] = [countingItems(after), countingItems(before)]
  if (counting.length === 0 && counted.length === 0) return []
  const isSamePeriod = before.currentPeriod?.invoiceId === after.currentPeriod?.invoiceId
  const continues = (item: MeteredItem, others: readonly MeteredItem[]) =>
    isSamePeriod && others.some(({ id, priceId }) => id === item.id && priceId === item.priceId)
  const at = changeTimeOf(after)
  const discounts = discountsOfUsage(before, !isSamePeriod)
  return [
    ...counted
      .filter((item) => !continues(item, counting))
      .map((item) => ({ action: 'end', item, endAt: at, discounts }) as const),
    ...counting
      .filter((item) => !continues(item, counted))
      .map((item) => {
        const periodSeconds = lengthOf(after.currentPeriod as CurrentPeriod)
        return { action: 'begin', item, startAt: after.accountedAt, periodSeconds } as const
      }),
  ]
}

/** Usage counts while the subscription is active: trials and pauses are free. */
function countingItems({ status, currentPeriod, items }: Subscription): readonly MeteredItem[] {
  if (status !== 'active' || currentPeriod === null) return []
  return items.filter((item): item is MeteredItem => isMetered(item))
}

function changeTimeOf({ status, endedAt, pause, accountedAt }: Subscription): Date {
  if (status === 'cancelled') return endedAt ?? accountedAt
  return status === 'paused' ? (pause?.pausedAt ?? accountedAt) : accountedAt
}

/**
 * The discounts of the period, as they apply to its usage. A fixed amount, or the limit of a discount in a period that
 * replaced another, was first used for the items that are billed in advance. The remainder applies when the
 * subscription leaves the period, so that the discount is applied once.
 */
function discountsOfUsage(
  { currentPeriod, currency, items, discounts }: Subscription,
  leavesPeriod: boolean,
): AttachedDiscount[] {
  const inPeriod = discounts.filter(({ isInPeriod }) => isInPeriod)
  if (currentPeriod === null || inPeriod.length === 0) return []
  const billedTime = remainingTimeOf(currentPeriod, currentPeriod.startAt)
  const used = discountedItems(currency, items, inPeriod, billedTime).flatMap((item) => item.discounts)
  return inPeriod.flatMap((discount) => {
    const limit = limitOf(discount)
    if (limit === null) return [discount]
    const left = used.filter(({ id }) => id === discount.id).reduce((sum, { amount }) => sum - amount, limit)
    if (!leavesPeriod || left <= 0n) return []
    const { amountOff } = discount
    return [{ ...discount, amountOff: amountOff && String(left), periodLimit: String(left) }]
  })
}

/** The maximum discount for the period; null if there is no limit. */
function limitOf({ amountOff, periodLimit }: AttachedDiscount): bigint | null {
  const limits = [amountOff, periodLimit].flatMap((limit) => (limit == null ? [] : [BigInt(limit)]))
  return limits.length === 0 ? null : limits.reduce(smallerOf)
}

/** A usage period that has ended, with the terms of its price. */
export type EndedUsage = PriceFactors & {
  readonly itemId: Id<'subscription_item'>
  readonly priceId: Id<'price'>
  readonly productId: Id<'product'>
  readonly startAt: Date
  readonly endAt: Date
  readonly periodSeconds: number
  readonly discounts: readonly AttachedDiscount[]
}

type Counted<P> = { readonly period: P; readonly quantity: number }

/** The lines that bill usage, with the discounts of their periods. Periods that end together share a fixed amount off. */
export function usageLines(
  currency: Subscription['currency'],
  counted: readonly Counted<EndedUsage>[],
  tax: TaxFacts,
): LineDraft[] {
  const lines = counted.map(({ period, quantity }) =>
    draftLine(currency, {
      rule: 'usage',
      changeId: null,
      ...chargeOf(tax, period),
      ...fieldsOf(period, quantity),
    }),
  )
  const byEnd = Map.groupBy(counted.keys(), (index) => counted[index]?.period.endAt.getTime())
  for (const indexes of byEnd.values()) {
    const group = indexes.map((index) => {
      const { productId, itemId } = (counted[index] as Counted<EndedUsage>).period
      return { index, amount: lines[index]?.amount ?? 0n, productId, itemId }
    })
    const discounts = counted[indexes[0] ?? 0]?.period.discounts ?? []
    const applied = discountLines(currency, group, discounts)
    for (const [position, { index }] of group.entries())
      lines[index] = withDiscounts(currency, lines[index] as LineDraft, applied[position] ?? [])
  }
  return lines
}

/** The line that billed a period. */
export type BilledLine = Pick<LineDraft, 'taxRate' | 'description'> & {
  readonly id: Id<'invoice_line'>
}

/** A billed period whose usage was counted again. */
export type RecountedUsage<P = EndedUsage> = Counted<P> & {
  readonly billed: {
    readonly quantity: number
    /** Null if nothing was billed. */
    readonly line: BilledLine | null
    /** The amount that was paid or is still owed for the line and its corrections, and was not returned. */
    readonly kept: bigint
  }
}

/**
 * Bills the differences after usage of billed periods was recorded late or cancelled, with the prices of the periods and
 * the tax rates of the lines that billed them. Their discounts are differences too. A correction credits no more than
 * the amount that was not returned yet. Null for a period without a difference.
 */
export function correctionLines(
  currency: Subscription['currency'],
  recounted: readonly RecountedUsage[],
  tax: TaxFacts,
): (LineDraft | null)[] {
  const quantities = recounted.map(({ billed }) => billed.quantity)
  return recounted.map((usage, index) => {
    if (usage.quantity === usage.billed.quantity) return null
    const before = discountsAt(currency, recounted, quantities, tax)
    quantities[index] = usage.quantity
    const after = discountsAt(currency, recounted, quantities, tax)
    const line = correctionLine(currency, usage, tax)
    const discounted = withDiscounts(currency, line, differenceOf(before, after, line.amount))
    if (discounted.amount >= 0n) return discounted
    return limitCredits(currency, [discounted], usage.billed.kept, 'usage_paid')[0] ?? null
  })
}

function discountsAt(
  currency: Subscription['currency'],
  recounted: readonly RecountedUsage[],
  quantities: readonly number[],
  tax: TaxFacts,
): LineDiscount[] {
  const counted = recounted.map(({ period }, index) => ({ period, quantity: quantities[index] ?? 0 }))
  return sumByDiscount(usageLines(currency, counted, tax))
}

/** The discounts of a correction: at most its amount, and with its sign. */
function differenceOf(
  before: readonly LineDiscount[],
  after: readonly LineDiscount[],
  amount: bigint,
): LineDiscount[] {
  const sign = amount < 0n ? -1n : 1n
  let left = sign * amount
  const ids = new Map([...before, ...after].map((discount) => [discount.id, discount]))
  return [...ids.values()].flatMap((discount) => {
    const amountIn = (discounts: readonly LineDiscount[]) =>
      discounts.find(({ id }) => id === discount.id)?.amount ?? 0n
    const wanted = sign * (amountIn(after) - amountIn(before))
    const difference = smallerOf(wanted, left)
    if (difference <= 0n) return []
    left -= difference
    return [{ ...discount, amount: sign * difference }]
  })
}

function correctionLine(
  currency: Subscription['currency'],
  { period, quantity, billed }: RecountedUsage,
  tax: TaxFacts,
): LineDraft {
  const source = billed.line
  const terms =
    source === null
      ? chargeOf(tax, period)
      : { taxRate: source.taxRate ?? null, description: source.description ?? null }
  return draftLine(currency, {
    rule: 'usage_correction',
    changeId: null,
    sourceLineId: source?.id ?? null,
    billedQuantity: billed.quantity,
    ...terms,
    ...fieldsOf(period, quantity),
  })
}

function fieldsOf(period: EndedUsage, quantity: number) {
  const { itemId, priceId, startAt, endAt } = period
  const seconds = Math.max(1, secondsBetween(startAt, endAt))
  return {
    ...lineFieldsOf({ id: itemId, priceId, quantity, ...withProratedLimits(period, seconds) }),
    service: { startAt, endAt },
    numeratorSeconds: seconds,
    denominatorSeconds: seconds,
  }
}

/** Usage is never prorated, but the minimum and maximum amounts are prorated for a shorter period. */
function withProratedLimits(period: EndedUsage, seconds: number): PriceFactors {
  const { unitAmountDecimal, pricing = perUnit } = period
  if (seconds >= period.periodSeconds) return factorsOf(period)
  const prorate = (limit: number | null) =>
    limit === null ? null : Number(mulDiv(BigInt(limit), BigInt(seconds), BigInt(period.periodSeconds)))
  const limits = {
    minimum_amount: prorate(pricing.minimum_amount),
    maximum_amount: prorate(pricing.maximum_amount),
  }
  return { unitAmountDecimal, ...withPricing({ ...pricing, ...limits }) }
}
