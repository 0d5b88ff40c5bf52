/**
 * A discount of a customer: a copy of the terms of a coupon, and the number of subscription periods that it
 * has applied to.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { AttachedDiscount } from '../../../kernel/discounts.ts'
import type { Id } from '../../../kernel/id.ts'

/** The terms of a redeemed coupon, and the number of periods that it has applied to. */
export type DiscountTerms = Pick<
  AttachedDiscount,
  | 'id'
  | 'couponId'
  | 'promotionCodeId'
  | 'name'
  | 'percentOff'
  | 'amountOff'
  | 'productIds'
  | 'duration'
  | 'periods'
  | 'usedPeriods'
>

export type CustomerDiscount = DiscountTerms & {
  readonly customerId: Id<'customer'>
  /**
   * The currency of the invoices that it applies to. Null for a percentage, which applies to all currencies.
   */
  readonly currency: Currency | null
  readonly removedAt: Date | null
  readonly createdAt: Date
  readonly sequence: number
}

/** All discounts of a customer, in the order in which they apply. */
export type DiscountsOfCustomer = {
  readonly customerId: Id<'customer'>
  readonly discounts: readonly CustomerDiscount[]
  /** Grows with each discount that is added, removed or moved. */
  readonly version: number
}

/** The discount before it applies to a period. */
export function toAttachedDiscount(discount: CustomerDiscount): AttachedDiscount {
  return {
    id: discount.id,
    couponId: discount.couponId,
    promotionCodeId: discount.promotionCodeId,
    name: discount.name,
    percentOff: discount.percentOff,
    amountOff: discount.amountOff,
    productIds: discount.productIds,
    duration: discount.duration,
    periods: discount.periods,
    usedPeriods: discount.usedPeriods,
    isInPeriod: false,
    isRemoved: false,
  }
}

export function isInCurrency({ currency }: Pick<CustomerDiscount, 'currency'>, billed: Currency): boolean {
  return currency === null || currency === billed
}
