/**
 * The cart of a new link or session, with the prices that its line items refer to. Items keep the amount of their
 * price, which never changes, and the name of their product.
 */
import {
  type Cart,
  type CheckoutMode,
  faultsOfCart,
  type LineItem,
  type SubscriptionOptions,
} from '../../../../kernel/cart.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { type Fault, refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findProductNames, type Price, requirePrice } from '../../../billing/products/service.ts'
import { requireCustomer } from '../../customers/service.ts'
import { amountsOf, type CartInput } from '../changes.ts'
import { faultsOfItems, faultsOfMode, type ItemInput, toLineItem } from '../line-items.ts'

/** In the format of the API. */
export type CheckoutInput = CartInput & {
  readonly mode?: CheckoutMode
  readonly currency?: Currency
  readonly line_items?: readonly ItemInput[]
  readonly subscription?: SubscriptionOptions
  readonly capture_method?: 'automatic' | 'manual'
}

export type NewCart = Cart & {
  readonly mode: CheckoutMode
  readonly subscription: SubscriptionOptions | null
}

/** Refuses unknown prices. The caller reports `faults` together with its own. */
export async function cartFrom(
  tx: Tx,
  input: CheckoutInput,
): Promise<{ readonly cart: NewCart; readonly faults: readonly Fault[] }> {
  const { mode = 'payment', line_items: inputs, subscription } = input
  const prices = await pricesOf(tx, inputs ?? [])
  const names = await findProductNames(
    tx,
    [...prices.values()].map(({ id }) => id),
  )
  const lineItems: readonly LineItem[] | null =
    inputs?.map((item, index) => {
      const price = prices.get(index) ?? null
      return toLineItem(item, price, (price && names.get(price.id)) ?? '')
    }) ?? null
  const cart = {
    ...amountsOf(input),
    lineItems,
    mode,
    currency: currencyOf(mode, input.currency, [...prices.values()]),
    subscription: mode === 'subscription' ? (subscription ?? {}) : null,
  }
  const faults = [
    ...faultsOfCart(mode, cart),
    ...faultsOfItems(mode, inputs ?? []),
    ...faultsOfMode(mode, { items: lineItems ?? [], subscription, captureMethod: input.capture_method }),
  ]
  return { cart, faults }
}

/** The prices by the index of their line item. */
async function pricesOf(tx: Tx, inputs: readonly ItemInput[]): Promise<ReadonlyMap<number, Price>> {
  const prices = new Map<number, Price>()
  for (const [index, { price_id: text }] of inputs.entries()) {
    if (text === undefined) continue
    const price = await requirePrice(tx, text, `/line_items/${index}/price_id`)
    if (price.unitAmountDecimal.includes('.'))
      refuseMember(`/line_items/${index}/price_id`, 'not_together', 'must have a whole amount in minor units')
    prices.set(index, price)
  }
  requireSameInterval([...prices.values()])
  return prices
}

/** One subscription has one interval. */
function requireSameInterval(prices: readonly Price[]): void {
  const [first, ...others] = prices.filter(({ recurring }) => recurring !== null)
  const other = others.find(
    ({ recurring }) =>
      recurring?.interval !== first?.recurring?.interval ||
      recurring?.intervalCount !== first?.recurring?.intervalCount,
  )
  if (other !== undefined) refuse('mixed_interval', { resource_id: other.id })
}

/** A card can be stored without a currency. Providers verify it in the given one. */
function currencyOf(mode: CheckoutMode, sent: Currency | undefined, prices: readonly Price[]): Currency {
  const currency = sent ?? prices[0]?.currency ?? (mode === 'setup' ? 'eur' : undefined)
  if (currency === undefined) return refuseMember('/currency', 'required', 'is required')
  const other = prices.find((price) => price.currency !== currency)
  if (other !== undefined) refuse('mixed_interval', { resource_id: other.id })
  return currency
}

/** A subscription on a test clock starts at the time of its clock, but checkouts use real time. */
export async function requireBuyer(tx: Tx, mode: CheckoutMode, text: string): Promise<Id<'customer'>> {
  const { id, testClockId } = await requireCustomer(tx, text)
  if (mode === 'subscription' && testClockId !== null)
    refuseMember('/customer_id', 'not_together', 'must not be on a test clock in subscription mode')
  return id
}
