/** Line items in requests: those of a price, and those with an amount of their own. Pure functions. */

import {
  type CheckoutMode,
  defaultLimits,
  faultsOfAnchor,
  type LineItem,
  maxChoices,
  type QuantityLimits,
  type SubscriptionOptions,
} from '../../../kernel/cart.ts'
import type { Fault } from '../../../kernel/errors.ts'
import { type Pricing, withPricing } from '../../../kernel/price-schemes.ts'

/** In the format of the API. */
export type ItemInput = {
  readonly price_id?: string
  readonly name?: string
  readonly unit_amount?: number
  readonly description?: string | null
  readonly quantity?: number
  readonly adjustable_quantity?: boolean
  readonly quantity_limits?: QuantityLimits
}

type ItemPrice = {
  readonly id: string
  readonly productId: string
  readonly unitAmountDecimal: string | null
  readonly pricing: Pricing
  readonly recurring: {
    readonly interval: NonNullable<LineItem['recurring']>['interval']
    readonly intervalCount: number
  } | null
}

export function toLineItem(input: ItemInput, price: ItemPrice | null, productName: string): LineItem {
  const { adjustable_quantity: adjustable = false, quantity_limits: limits = defaultLimits } = input
  return {
    name: input.name ?? productName,
    ...unitAmountOf(input, price),
    description: input.description ?? null,
    quantity: input.quantity ?? 1,
    adjustable_quantity: adjustable,
    ...(adjustable && price !== null ? { quantity_limits: limits } : {}),
    ...(price === null ? {} : { price_id: price.id, product_id: price.productId }),
    ...(price?.recurring ? { recurring: toRecurring(price.recurring) } : {}),
  }
}

function unitAmountOf(
  { unit_amount: sent = 0 }: ItemInput,
  price: ItemPrice | null,
): Pick<LineItem, 'unit_amount' | 'pricing'> {
  if (price === null) return { unit_amount: sent }
  const { unitAmountDecimal: unit, pricing } = price
  return { unit_amount: unit === null ? null : Number(unit), ...withPricing(pricing) }
}

const toRecurring = ({ interval, intervalCount }: NonNullable<ItemPrice['recurring']>) => ({
  interval,
  interval_count: intervalCount,
})

/** Validates each item on its own. */
export function faultsOfItems(mode: CheckoutMode, items: readonly ItemInput[]): Fault[] {
  return items.flatMap((item, index) => {
    const pointer = `/line_items/${index}`
    return [...faultsOfItemPrice(item, pointer), ...faultsOfLimits(mode, item, pointer)]
  })
}

function faultsOfItemPrice(
  { price_id: price, name, unit_amount: amount }: ItemInput,
  pointer: string,
): Fault[] {
  if (price !== undefined)
    return amount === undefined
      ? []
      : [
          {
            pointer: `${pointer}/unit_amount`,
            code: 'not_together',
            detail: 'cannot be combined with price_id',
          },
        ]
  const missing = Object.entries({ name, unit_amount: amount }).filter(([, value]) => value === undefined)
  return missing.map(([member]) => ({
    pointer: `${pointer}/${member}`,
    code: 'required',
    detail: 'is required unless price_id is sent',
  }))
}

function faultsOfLimits(
  mode: CheckoutMode,
  { adjustable_quantity: adjustable, quantity_limits: limits, quantity = 1 }: ItemInput,
  item: string,
): Fault[] {
  if (limits === undefined) return []
  const pointer = `${item}/quantity_limits`
  if (mode !== 'subscription')
    return [{ pointer, code: 'not_together', detail: 'is for the mode subscription only' }]
  if (!adjustable) return [{ pointer, code: 'not_together', detail: 'needs adjustable_quantity' }]
  if (limits.min <= quantity && quantity <= limits.max) return []
  return [{ pointer, code: 'bad_format', detail: 'must include quantity' }]
}

/** The page gets the amount of each quantity, so the number of quantities is limited. */
export function faultsOfChoices(items: readonly LineItem[]): Fault[] {
  return items.flatMap(({ pricing, quantity_limits: limits }, index): Fault[] => {
    if (pricing === undefined || limits === undefined || limits.max - limits.min < maxChoices) return []
    const pointer = `/line_items/${index}/quantity_limits/max`
    const detail = `must allow at most ${maxChoices} quantities for a price with tiers, packages or limits`
    return [{ pointer, code: 'too_large', detail }]
  })
}

type ModeInput = {
  readonly items: readonly LineItem[]
  readonly subscription: SubscriptionOptions | undefined
  readonly captureMethod: 'automatic' | 'manual' | undefined
}

/** Validates what the mode allows. */
export function faultsOfMode(mode: CheckoutMode, { items, subscription, captureMethod }: ModeInput): Fault[] {
  const faults: Fault[] = []
  if (mode !== 'payment' && captureMethod === 'manual')
    faults.push({
      pointer: '/capture_method',
      code: 'not_together',
      detail: `must be automatic in ${mode} mode`,
    })
  if (mode === 'subscription') return [...faults, ...faultsOfSubscription(items, subscription ?? {})]
  if (subscription !== undefined)
    faults.push({
      pointer: '/subscription',
      code: 'not_together',
      detail: 'is for the mode subscription only',
    })
  const recurring = items.findIndex((item) => item.recurring !== undefined)
  if (recurring >= 0)
    faults.push({
      pointer: `/line_items/${recurring}/price_id`,
      code: 'not_together',
      detail: 'is a recurring price, which needs the mode subscription',
    })
  return faults
}

function faultsOfSubscription(items: readonly LineItem[], { trial, anchor }: SubscriptionOptions): Fault[] {
  const faults: Fault[] = []
  const duplicate = items.findIndex(
    ({ price_id: id }, index) => id !== undefined && items.findIndex((item) => item.price_id === id) < index,
  )
  if (duplicate >= 0)
    faults.push({
      pointer: `/line_items/${duplicate}/price_id`,
      code: 'not_together',
      detail: 'is a duplicate price',
    })
  if (!items.some((item) => item.recurring !== undefined))
    faults.push({
      pointer: '/line_items',
      code: 'required',
      detail: 'must contain an item with a recurring price',
    })
  if (trial != null && items.some((item) => item.recurring === undefined))
    faults.push({
      pointer: '/subscription/trial',
      code: 'not_together',
      detail: 'cannot be combined with items that are charged once: nothing is charged before the trial ends',
    })
  const { interval } = items.find((item) => item.recurring !== undefined)?.recurring ?? {}
  if (interval !== undefined)
    for (const fault of faultsOfAnchor(anchor, interval))
      faults.push({ ...fault, pointer: `/subscription${fault.pointer}` })
  if (anchor?.day_of_month !== undefined && items.some((item) => item.adjustable_quantity))
    faults.push({
      pointer: '/subscription/anchor',
      code: 'not_together',
      detail: 'cannot be combined with adjustable_quantity',
    })
  return faults
}
