/** Validates the prices and payment methods a request refers to. */
import type { Interval } from '../../../../kernel/calendar.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { withPricing } from '../../../../kernel/price-schemes.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { requireAttachedMethod } from '../../../payments/payment-methods/service.ts'
import { type Price, requirePrice } from '../../products/service.ts'
import type { PricedItem } from '../subscription.ts'

export type ItemPrice = PricedItem & { readonly currency: Currency; readonly interval: Interval }

/** The price of each item, in the same order; null for items without a `price_id`. */
export async function requirePrices(
  view: View,
  items: readonly { readonly price_id?: string | undefined }[],
): Promise<(ItemPrice | null)[]> {
  const prices: (ItemPrice | null)[] = []
  for (const [index, { price_id: text }] of items.entries()) {
    const pointer = `/items/${index}/price_id`
    prices.push(text === undefined ? null : toItemPrice(await requirePrice(view, text, pointer)))
  }
  return prices
}

function toItemPrice(price: Price): ItemPrice {
  // A one-time price has no interval.
  if (price.recurring === null) return refuse('mixed_interval', { resource_id: price.id })
  const { interval: unit, intervalCount: count } = price.recurring
  return {
    priceId: price.id,
    productId: price.productId,
    unitAmountDecimal: price.unitAmountDecimal,
    ...withPricing(price.pricing),
    ...(price.meterId === null ? {} : { meterId: price.meterId }),
    currency: price.currency,
    interval: { unit, count },
  }
}

export const priceIdsOf = ({ items }: { readonly items: readonly PricedItem[] }): Id<'price'>[] =>
  items.map(({ priceId }) => priceId)

/** Requires that all prices have the same interval and currency, and returns these. */
export function requireCommonTerms(prices: readonly ItemPrice[]): { currency: Currency; interval: Interval } {
  const [first, ...others] = prices as [ItemPrice, ...ItemPrice[]]
  const { currency, interval } = first
  const mismatch = others.find(
    (price) =>
      price.currency !== currency ||
      price.interval.unit !== interval.unit ||
      price.interval.count !== interval.count,
  )
  if (mismatch !== undefined) refuse('mixed_interval', { resource_id: mismatch.priceId })
  return { currency, interval }
}

/** Requires a payment method of this customer. It cannot be detached until the transaction ends. */
export async function requireMethodOf(
  tx: Tx,
  customerId: Id<'customer'>,
  text: string,
): Promise<Id<'payment_method'>> {
  const method = await requireAttachedMethod(tx, text)
  if (method.customerId !== customerId)
    refuseMember('/payment_method_id', 'not_found', 'must be attached to this customer')
  return method.id
}
