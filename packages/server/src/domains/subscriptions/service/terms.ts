/** What a body refers to: prices, methods and policies that have to be there, and to fit. */
import type { Interval } from '../../../kernel/calendar.ts'
import type { Currency } from '../../../kernel/currency.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { requireAttached } from '../../payment-methods/service.ts'
import { type Price, requirePrice } from '../../products/service.ts'
import type { PricedItem } from '../wishes.ts'

export type Priced = PricedItem & { readonly currency: Currency; readonly interval: Interval }

/** The prices that the items name, at the same places; null where none is named. */
export async function pricesOf(
  view: View,
  items: readonly { readonly price_id?: string | undefined }[],
): Promise<(Priced | null)[]> {
  const found: (Priced | null)[] = []
  for (const [place, { price_id: text }] of items.entries()) {
    const pointer = `/items/${place}/price_id`
    found.push(text === undefined ? null : priced(await requirePrice(view, text, pointer)))
  }
  return found
}

function priced(price: Price): Priced {
  // What is paid once has no clock.
  if (price.recurring === null) return refuse('mixed_interval', { resource_id: price.id })
  const { interval: unit, intervalCount: count } = price.recurring
  return {
    priceId: price.id,
    productId: price.productId,
    unitAmountDecimal: price.unitAmountDecimal,
    currency: price.currency,
    interval: { unit, count },
  }
}

export const pricesIn = ({ items }: { readonly items: readonly PricedItem[] }): Id<'price'>[] =>
  items.map(({ priceId }) => priceId)

/** One clock and one currency for all. */
export function commonTerms(prices: readonly Priced[]): { currency: Currency; interval: Interval } {
  const [first, ...others] = prices as [Priced, ...Priced[]]
  const { currency, interval } = first
  const strange = others.find(
    (price) =>
      price.currency !== currency ||
      price.interval.unit !== interval.unit ||
      price.interval.count !== interval.count,
  )
  if (strange !== undefined) refuse('mixed_interval', { resource_id: strange.priceId })
  return { currency, interval }
}

/** A method of that customer, which nobody detaches until the unit ends. */
export async function methodOf(
  tx: Tx,
  customerId: Id<'customer'>,
  text: string,
): Promise<Id<'payment_method'>> {
  const { method } = await requireAttached(tx, text)
  if (method.customerId !== customerId)
    refuseMember('/payment_method_id', 'not_found', 'is not attached to this customer')
  return method.id
}
