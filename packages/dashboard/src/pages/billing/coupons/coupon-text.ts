/** Formats the discount of a coupon, its duration and its redemptions. */
import type { Coupon, Subscription } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'

/** "20% off", "€5.00 off". */
export function offText({ percent_off: percent, amount_off: amount, currency }: OffTerms): string {
  return percent === null ? `${moneyText(amount ?? 0, currency ?? 'eur')} off` : `${percent}% off`
}

type OffTerms = Pick<Coupon, 'percent_off' | 'amount_off'> & { readonly currency: string | null }

/** "once", "for 3 periods", "every period". */
export function durationText({ duration, duration_periods: periods }: DurationTerms): string {
  if (duration === 'once') return 'once'
  return duration === 'forever' ? 'every period' : `for ${periods} period${periods === 1 ? '' : 's'}`
}

type DurationTerms = Pick<Coupon, 'duration' | 'duration_periods'>

/** "12 of 100", "12". */
export function redemptionsText({
  times_redeemed: times,
  max_redemptions: max,
}: Pick<Coupon, 'times_redeemed' | 'max_redemptions'>): string {
  return max === null ? String(times) : `${times} of ${max}`
}

/** A discount of a subscription, an item or a customer. */
export type Discount = Omit<Subscription['discounts'][number], 'in_current_period'> & {
  /** The currency of `amount_off`. If omitted, the currency of the subscription is used. */
  readonly currency?: string | null
}

/** "20% off for 3 periods, 1 used". */
export function discountText(discount: Discount, currency: string | null): string {
  const { duration, periods, periods_used: used } = discount
  const terms = `${offText({ ...discount, currency: discount.currency ?? currency })} ${durationText({ duration, duration_periods: periods })}`
  return used === null ? terms : `${terms}, ${used} used`
}

/** The discount in a request, from the text of a field that accepts a coupon ID or a promotion code. */
export const discountInputOf = (text: string) =>
  text.startsWith('coupon_') ? { coupon_id: text } : { promotion_code: text }
