/**
 * What is to be paid, and what is asked of whoever pays: the same for a payment link and for the sessions that are
 * opened by it. A cart has one of three prices: an amount, an amount that the payer chooses, or things with prices.
 */
import type { Currency } from './currency.ts'
import type { Fault } from './errors.ts'

/** In the words of the wire. */
export type LineItem = {
  readonly name: string
  readonly description: string | null
  readonly unit_amount: number
  readonly quantity: number
  /** Whether the payer may choose how many. */
  readonly adjustable_quantity: boolean
}

export type OpenAmount = {
  readonly min: number
  readonly max: number
  readonly suggested: number | null
}

export type Cart = {
  readonly currency: Currency
  readonly amount: bigint | null
  readonly openAmount: OpenAmount | null
  readonly lineItems: readonly LineItem[] | null
}

export const collectables = ['name', 'email', 'phone', 'billing_address', 'shipping_address'] as const
export type Collectable = (typeof collectables)[number]

export const customFieldTypes = ['text', 'numeric', 'dropdown'] as const

export type CustomField = {
  readonly key: string
  readonly label: string
  readonly type: (typeof customFieldTypes)[number]
  readonly required: boolean
  readonly options: readonly string[]
}

export const largestAmount = 999_999_999_999

/** What all things cost together. */
export function totalOf(items: readonly LineItem[]): number {
  return items.reduce((sum, { unit_amount, quantity }) => sum + unit_amount * quantity, 0)
}

/** The things of a payer who chose how many; null if there is nothing to choose. */
export function withQuantity(items: readonly LineItem[] | null, quantity: number): LineItem[] | null {
  const [only, ...others] = items ?? []
  if (only === undefined || others.length > 0 || !only.adjustable_quantity) return null
  return [{ ...only, quantity }]
}

/** What is wrong with the amount that a payer chose. */
export function faultsOfAmount({ openAmount }: Pick<Cart, 'openAmount'>, amount: number): Fault[] {
  const pointer = '/amount'
  if (openAmount === null)
    return [{ pointer, code: 'not_together', detail: 'is fixed, and cannot be chosen' }]
  const { min, max } = openAmount
  if (amount < min) return [{ pointer, code: 'too_small', detail: `must be ${min} or more` }]
  return amount > max ? [{ pointer, code: 'too_large', detail: `must be ${max} or less` }] : []
}

/** What is wrong with the price of a cart as it was sent. */
export function faultsOfCart(cart: Omit<Cart, 'currency'>): Fault[] {
  const given = Object.entries({
    amount: cart.amount,
    open_amount: cart.openAmount,
    line_items: cart.lineItems,
  }).filter(([, value]) => value !== null)
  if (given.length === 0)
    return [{ pointer: '/amount', code: 'required', detail: 'is required, or open_amount, or line_items' }]
  const [, second] = given
  if (second !== undefined)
    return [{ pointer: `/${second[0]}`, code: 'not_together', detail: `does not go with ${given[0]?.[0]}` }]
  return [...faultsOfOpen(cart.openAmount), ...faultsOfItems(cart.lineItems)]
}

function faultsOfOpen(open: OpenAmount | null): Fault[] {
  if (open === null) return []
  const { min, max, suggested } = open
  if (max < min) return [{ pointer: '/open_amount/max', code: 'too_small', detail: 'must be min or more' }]
  if (suggested === null || (suggested >= min && suggested <= max)) return []
  return [{ pointer: '/open_amount/suggested', code: 'bad_format', detail: 'must lie between min and max' }]
}

function faultsOfItems(items: readonly LineItem[] | null): Fault[] {
  if (items === null) return []
  const total = totalOf(items)
  if (total < 1)
    return [{ pointer: '/line_items', code: 'too_small', detail: 'must cost something together' }]
  if (total <= largestAmount) return []
  return [
    { pointer: '/line_items', code: 'too_large', detail: `must cost ${largestAmount} or less together` },
  ]
}

/** What is wrong with the questions of a cart as they were sent. */
export function faultsOfFields(fields: readonly CustomField[]): Fault[] {
  return fields.flatMap(({ key, type, options }, place) => {
    const at = `/custom_fields/${place}`
    const isFirst = fields.findIndex((one) => one.key === key) === place
    return [
      ...(isFirst
        ? []
        : [{ pointer: `${at}/key`, code: 'not_together', detail: 'is that of another field' } as const]),
      ...((type === 'dropdown') === options.length > 0
        ? []
        : [
            {
              pointer: `${at}/options`,
              code: 'required',
              detail: 'are for a dropdown, which needs them',
            } as const,
          ]),
    ]
  })
}
