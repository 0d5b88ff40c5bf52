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
import { findSellerSettings } from '../../../billing/seller/service.ts'
import { loadTaxRates } from '../../../billing/tax-rules/service/load-rates.ts'
import { requireCustomer } from '../../customers/service.ts'
import { amountsOf, type CartInput } from '../changes.ts'
import { faultsOfChoices, faultsOfItems, faultsOfMode, type ItemInput, toLineItem } from '../line-items.ts'

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

/**
 * Refuses unknown prices. The caller reports `faults` together with its own. `customerId` is null if the buyer is not
 * known yet, so that tax cannot be added to prices.
 */
export async function cartFrom(
  tx: Tx,
  input: CheckoutInput,
  customerId: Id<'customer'> | null,
): Promise<{ readonly cart: NewCart; readonly faults: readonly Fault[] }> {
  const { mode = 'payment', line_items: inputs, subscription } = input
  const prices = await pricesOf(tx, inputs ?? [])
  const names = await findProductNames(
    tx,
    [...prices.values()].map(({ id }) => id),
  )
  const items: readonly LineItem[] | null =
    inputs?.map((item, index) => {
      const price = prices.get(index) ?? null
      return toLineItem(item, price, (price && names.get(price.id)) ?? '')
    }) ?? null
  const lineItems = mode === 'subscription' ? await withTax(tx, items, { prices, customerId }) : items
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
    ...faultsOfChoices(lineItems ?? []),
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
    if (price.unitAmountDecimal?.includes('.'))
      refuseMember(`/line_items/${index}/price_id`, 'not_together', 'must have a whole amount in minor units')
    if (price.meterId !== null)
      refuseMember(`/line_items/${index}/price_id`, 'not_together', 'must be a price without a meter')
    prices.set(index, price)
  }
  requireSameInterval([...prices.values()])
  return prices
}

type Sold = {
  /** The prices, by the index of their line item. */
  readonly prices: ReadonlyMap<number, Price>
  readonly customerId: Id<'customer'> | null
}

/**
 * If tax has to be added to a price, stores the rates of the customer in the items, so that the page, the charge and the
 * first invoice are equal. The payment page shows the final amount, so the customer has to be known.
 */
async function withTax(
  tx: Tx,
  items: readonly LineItem[] | null,
  { prices, customerId }: Sold,
): Promise<readonly LineItem[] | null> {
  const exclusive = [...prices].find(([, { taxBehavior }]) => taxBehavior === 'exclusive')
  if (exclusive === undefined || items === null) return items
  const { tax } = await findSellerSettings(tx)
  if (tax === 'none') return items
  if (tax === 'provider')
    return refuseMember(
      `/line_items/${exclusive[0]}/price_id`,
      'not_together',
      'must have the tax_behavior inclusive: the tax provider computes tax when the invoice is created, and the payment page shows final prices',
    )
  if (customerId === null)
    return refuseMember(
      `/line_items/${exclusive[0]}/price_id`,
      'not_together',
      'must have the tax_behavior inclusive, because the payment page shows final prices; checkout sessions with a customer_id also accept exclusive',
    )
  requireFixedQuantities(items)
  const priced = [...prices.values()].map(({ id: priceId }) => ({ priceId }))
  const [loaded] = await loadTaxRates(tx, [{ customerId, items: priced }])
  return items.map((item) => {
    const { price_id: id } = item
    const rate = id === undefined ? loaded?.unpriced : loaded?.rates.get(id as Id<'price'>)
    return { ...item, tax: rate ?? null }
  })
}

/** The page cannot calculate the tax of a quantity that the payer chooses. */
function requireFixedQuantities(items: readonly LineItem[]): void {
  const adjustable = items.findIndex((item) => item.adjustable_quantity)
  if (adjustable >= 0)
    refuseMember(
      `/line_items/${adjustable}/adjustable_quantity`,
      'not_together',
      'must be false, because tax is added to the price',
    )
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

/** The currency is optional if a card is only stored. Providers use it to verify the card. */
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
