/**
 * Discounts of subscriptions: copies of the terms of coupons, and how they apply to the lines of a period. A limited
 * discount has a number of periods left. The first invoice of a period consumes one if the discount applies to any line.
 * Changes within the period reuse its discounts without consuming another, so two opposite changes at the same instant
 * net to zero. If an interval change starts a new period, a limited discount takes off at most what was reversed for the
 * old period. Discounts of a customer apply to the periods of all subscriptions of the customer, which share the number of
 * periods left.
 */
import type { Currency } from './currency.ts'
import type { Id } from './id.ts'
import { type AppliedDiscount, calculateInvoice, type Discount } from './invoice-arithmetic.ts'
import { mulDiv } from './money.ts'

export const couponDurations = ['once', 'periods', 'forever'] as const
export type CouponDuration = (typeof couponDurations)[number]
export type Off = Discount['off']

/** The maximum number of discounts of one object. */
export const maxDiscounts = 5

/** A coupon that was redeemed for a subscription. Its members can be stored as JSON. */
export type AttachedDiscount = {
  readonly id: Id<'discount'>
  readonly couponId: Id<'coupon'>
  readonly promotionCodeId: Id<'promotion_code'> | null
  /** The name of the coupon when it was redeemed. */
  readonly name: string
  readonly percentOff: string | null
  /** In minor units, as text, because a JSON number cannot represent every amount. */
  readonly amountOff: string | null
  readonly productIds: readonly Id<'product'>[] | null
  /** The only subscription item that it applies to. Omitted: all items. */
  readonly itemId?: Id<'subscription_item'>
  /** Whether it was redeemed for the customer. A subscription has a copy while it applies to the current period. */
  readonly isOfCustomer?: true
  readonly duration: CouponDuration
  /** The number of periods that it applies to; null: all. */
  readonly periods: number | null
  /** The number of periods that it has applied to. Counted only if the number is limited. */
  readonly usedPeriods: number
  /** Whether it applies to the current period. */
  readonly isInPeriod: boolean
  /** Whether it was removed during the current period, to which it still applies. */
  readonly isRemoved: boolean
  /**
   * The maximum that it takes off the current period, in minor units, if this period replaced another one: the rest was
   * already used.
   */
  readonly periodLimit?: string
}

/** What a discount takes off one line. */
export type LineDiscount = AppliedDiscount & {
  readonly couponId: Id<'coupon'>
  readonly name: string
}

export type DiscountableLine = {
  readonly amount: bigint
  readonly productId: Id<'product'> | null
  /** Omitted for a line without a subscription item. */
  readonly itemId?: Id<'subscription_item'>
}

/** The amount that each discount takes off each line. */
export function discountLines(
  currency: Currency,
  lines: readonly DiscountableLine[],
  discounts: readonly AttachedDiscount[],
): (readonly LineDiscount[])[] {
  if (discounts.length === 0) return lines.map(() => [])
  const amountLines = lines.map(({ amount }) => ({ amount, taxRate: null }))
  const terms: Discount[] = []
  for (const discount of discounts) {
    const term = toDiscount(discount, lines)
    terms.push(term)
    if (discount.periodLimit === undefined) continue
    const limit = BigInt(discount.periodLimit)
    const applied = calculateInvoice(currency, amountLines, terms).lines.flatMap((line) => line.discounts)
    const value = applied.reduce((sum, { id, amount }) => (id === discount.id ? sum + amount : sum), 0n)
    if (value > limit) terms.splice(-1, 1, { ...term, off: { amount: limit } })
  }
  const byId = new Map(discounts.map((discount) => [discount.id as string, discount]))
  return calculateInvoice(currency, amountLines, terms).lines.map(({ discounts: applied }) =>
    applied.map(({ id, amount }) => {
      const { couponId, name } = byId.get(id) as AttachedDiscount
      return { id, amount, couponId, name }
    }),
  )
}

function toDiscount(
  { id, percentOff, amountOff, ...scope }: AttachedDiscount,
  lines: readonly DiscountableLine[],
): Discount {
  const reducesAll = scope.productIds === null && scope.itemId === undefined
  return {
    id,
    off: percentOff === null ? { amount: BigInt(amountOff ?? 0) } : { percentage: percentOff },
    lines: reducesAll ? null : lines.flatMap((line, index) => (isEligible(scope, line) ? [index] : [])),
  }
}

/** Whether the discount applies to a line for this product and this item. */
export function isEligible(
  discount: Pick<AttachedDiscount, 'productIds' | 'itemId'>,
  { productId, itemId }: Pick<DiscountableLine, 'productId' | 'itemId'>,
): boolean {
  if (discount.itemId !== undefined && discount.itemId !== itemId) return false
  return discount.productIds === null || (productId !== null && discount.productIds.includes(productId))
}

/** The order in which discounts apply: those of items, of the subscription or the invoice, and of the customer. */
export function inApplicationOrder(discounts: readonly AttachedDiscount[]): AttachedDiscount[] {
  const levelOf = ({ itemId, isOfCustomer }: AttachedDiscount) =>
    itemId !== undefined ? 0 : isOfCustomer ? 2 : 1
  return discounts.toSorted((a, b) => levelOf(a) - levelOf(b))
}

/**
 * The discounts of a subscription for planning: its own, and those of its customer as they are now. A copy that applies
 * to the current period and was removed from the customer continues until the end of the period.
 */
export function withDiscountsOfCustomer(
  discounts: readonly AttachedDiscount[],
  ofCustomer: readonly AttachedDiscount[],
): readonly AttachedDiscount[] {
  const own = discounts.filter(({ isOfCustomer }) => !isOfCustomer)
  if (own.length === discounts.length && ofCustomer.length === 0) return discounts
  const current = new Map(ofCustomer.map((discount) => [discount.id, discount]))
  const copies = discounts
    .filter(({ isOfCustomer, isInPeriod }) => isOfCustomer && isInPeriod)
    .map((copy) => {
      const discount = current.get(copy.id)
      return { ...copy, usedPeriods: discount?.usedPeriods ?? 0, isRemoved: discount === undefined }
    })
  const waiting = ofCustomer.filter(({ id }) => !copies.some((copy) => copy.id === id))
  return [...own, ...copies, ...waiting]
}

/**
 * The discounts that a subscription stores. It has copies of the discounts of its customer only while they
 * reduce its current period, without their state, which is stored with the customer. It has discounts of
 * items only while it has these items, now or after a scheduled change.
 */
export function discountsToStore(
  discounts: readonly AttachedDiscount[],
  items: readonly { readonly id: Id<'subscription_item'> }[],
): AttachedDiscount[] {
  return discounts
    .filter(({ itemId, isOfCustomer, isInPeriod }) =>
      isOfCustomer ? isInPeriod : itemId === undefined || items.some(({ id }) => id === itemId),
    )
    .map((discount) => (discount.isOfCustomer ? { ...discount, usedPeriods: 0, isRemoved: false } : discount))
}

/**
 * How many periods of each discount of the customer a subscription used over a sequence of states. Negative
 * if it returned periods.
 */
export function periodsUsedOfCustomer(
  states: readonly (readonly AttachedDiscount[])[],
): ReadonlyMap<Id<'discount'>, number> {
  const used = new Map<Id<'discount'>, number>()
  for (const [index, after] of states.slice(1).entries()) {
    const before = new Map((states[index] ?? []).map((discount) => [discount.id, discount]))
    for (const { id, isOfCustomer, usedPeriods } of after) {
      const periods = usedPeriods - (before.get(id)?.usedPeriods ?? usedPeriods)
      if (isOfCustomer && periods !== 0) used.set(id, (used.get(id) ?? 0) + periods)
    }
  }
  return used
}

/** The discounts that apply to a new period: neither removed nor used up. */
export function discountsOfNextPeriod(discounts: readonly AttachedDiscount[]): readonly AttachedDiscount[] {
  const remaining = discounts.filter(
    ({ isRemoved, periods, usedPeriods }) => !isRemoved && (periods === null || usedPeriods < periods),
  )
  if (remaining.some(({ periodLimit }) => periodLimit !== undefined)) return remaining.map(withoutLimit)
  return remaining.length === discounts.length ? discounts : remaining
}

function withoutLimit({ periodLimit: _, ...discount }: AttachedDiscount): AttachedDiscount {
  return discount
}

/**
 * The discounts for a period that replaces the current one. Discounts for a limited number of periods, and discounts
 * that were removed, take off at most what the replaced period's credit lines reversed.
 */
export function discountsOfReplacement(
  discounts: readonly AttachedDiscount[],
  reversed: readonly LineDiscount[],
): readonly AttachedDiscount[] {
  const remainingIds = new Set(discountsOfNextPeriod(discounts).map(({ id }) => id))
  return discounts
    .filter(({ id, isInPeriod }) => isInPeriod || remainingIds.has(id))
    .map((discount) => {
      const isLimited = discount.isInPeriod && (discount.periods !== null || discount.isRemoved)
      if (!isLimited) return withoutLimit(discount)
      const limit = reversed.reduce((sum, { id, amount }) => (id === discount.id ? sum - amount : sum), 0n)
      return { ...discount, periodLimit: String(limit) }
    })
}

/** The discounts after the start of a period that some of them apply to. Returns the same array if nothing changed. */
export function afterPeriodStart(
  discounts: readonly AttachedDiscount[],
  applying: readonly AttachedDiscount[],
): readonly AttachedDiscount[] {
  const applied = new Set<string>(applying.map(({ id }) => id))
  const after = discounts.map((discount) => {
    const isInPeriod = applied.has(discount.id)
    const usesPeriod = isInPeriod && discount.periods !== null
    if (!usesPeriod && isInPeriod === discount.isInPeriod) return discount
    return { ...discount, isInPeriod, usedPeriods: discount.usedPeriods + (usesPeriod ? 1 : 0) }
  })
  return after.every((discount, index) => discount === discounts[index]) ? discounts : after
}

/** The discounts after the invoice of the current period was withdrawn: its period does not count. */
export function afterPeriodWithdrawn(discounts: readonly AttachedDiscount[]): readonly AttachedDiscount[] {
  if (!discounts.some(({ isInPeriod }) => isInPeriod)) return discounts
  return discounts
    .filter(({ isRemoved }) => !isRemoved)
    .map((discount) =>
      discount.isInPeriod
        ? {
            ...discount,
            isInPeriod: false,
            usedPeriods: discount.periods === null ? 0 : discount.usedPeriods - 1,
          }
        : discount,
    )
}

/**
 * Prorates the discounts of an amount. The amounts before and after each discount are prorated
 * separately, and the discount is the difference, so a credit reverses exactly what was charged. `share` is the
 * prorated amount without discounts.
 */
export function prorateDiscounts(
  whole: { readonly amount: bigint; readonly discounts: readonly LineDiscount[] },
  share: bigint,
  seconds: { readonly part: number; readonly whole: number },
): LineDiscount[] {
  let net = whole.amount
  let left = share
  const prorated: LineDiscount[] = []
  for (const discount of whole.discounts) {
    net -= discount.amount
    const leftAfter = clamp(mulDiv(net, BigInt(seconds.part), BigInt(seconds.whole)), left)
    if (leftAfter !== left) prorated.push({ ...discount, amount: left - leftAfter })
    left = leftAfter
  }
  return prorated
}

const clamp = (amount: bigint, maximum: bigint) => (amount > maximum ? maximum : amount < 0n ? 0n : amount)

/** The sum of each discount over all lines, in the order of the lines. */
export function sumByDiscount(
  lines: readonly { readonly discounts?: readonly LineDiscount[] }[],
): LineDiscount[] {
  const sums = new Map<string, LineDiscount>()
  for (const discount of lines.flatMap(({ discounts = [] }) => discounts)) {
    const amount = (sums.get(discount.id)?.amount ?? 0n) + discount.amount
    sums.set(discount.id, { ...discount, amount })
  }
  return [...sums.values()]
}
