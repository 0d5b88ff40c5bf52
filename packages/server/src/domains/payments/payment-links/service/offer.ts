/** The subscription that a link or session sells, as an order that can be planned. */
import { assert } from '../../../../kernel/assert.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import { factorsOfItem, type LineItem } from '../../../../kernel/cart.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { TaxRate } from '../../../../kernel/invoice-arithmetic.ts'
import {
  type CheckoutOrder,
  noTax,
  type Offer,
  offerOf,
  type TaxFacts,
} from '../../../billing/subscriptions/service/checkout.ts'
import type { PaymentLink } from '../payment-link.ts'

type Sold = Pick<PaymentLink, 'mode' | 'currency' | 'lineItems' | 'subscription' | 'paymentRouteId'> & {
  readonly discounts?: CheckoutOrder['discounts']
}

type OrderIds = Pick<CheckoutOrder, 'at' | 'subscriptionId' | 'invoiceId' | 'checkoutSessionId'>

/** What the payer would be charged if they confirmed at this time; null unless a subscription is sold. */
export function currentOffer(sold: Sold, now: Date): Offer | null {
  if (sold.mode !== 'subscription') return null
  // Offers show no ids.
  const ids = {
    subscriptionId: '' as Id<'subscription'>,
    invoiceId: '' as Id<'invoice'>,
    checkoutSessionId: '' as Id<'checkout_session'>,
  }
  return offerOf(toCheckoutOrder(sold, { at: wholeSecond(now), ...ids }))
}

export function toCheckoutOrder(sold: Sold, order: OrderIds): CheckoutOrder {
  const items = sold.lineItems ?? []
  const recurring = items.flatMap((item) => (item.recurring === undefined ? [] : [item.recurring]))[0]
  assert(recurring !== undefined, 'A session that sells a subscription has an item with a recurring price.')
  return {
    ...order,
    currency: sold.currency,
    interval: { unit: recurring.interval, count: recurring.interval_count },
    items: items
      .filter((item) => item.recurring !== undefined)
      .map((item) => ({
        priceId: item.price_id as Id<'price'>,
        productId: item.product_id as Id<'product'>,
        ...factorsOfItem(item),
        quantity: item.quantity,
      })),
    oneTimeItems: items
      .filter((item) => item.recurring === undefined)
      .map((item) => ({
        priceId: (item.price_id ?? null) as Id<'price'> | null,
        name: item.name,
        ...factorsOfItem(item),
        quantity: item.quantity,
      })),
    discounts: sold.discounts ?? [],
    tax: addedTaxOf(items),
    options: sold.subscription ?? {},
    paymentRouteId: sold.paymentRouteId,
  }
}

/** The stored rates of the items. Null if none are stored: then the amounts include the tax. */
function addedTaxOf(items: readonly LineItem[]): TaxFacts | null {
  if (items.every(({ tax }) => tax === undefined)) return null
  const rates = items.flatMap(({ price_id: id, tax }): [Id<'price'>, TaxRate][] =>
    id === undefined || tax == null ? [] : [[id as Id<'price'>, tax]],
  )
  const unpriced = items.find(({ price_id: id }) => id === undefined)?.tax ?? null
  return { ...noTax, rates: new Map(rates), unpriced }
}
