/**
 * What a payer pays and which fields they fill in. Payment links and the checkout sessions opened from them
 * share this type. A cart has exactly one of three kinds of price: a fixed amount, an amount that the payer
 * chooses, or line items.
 */
import { type IntervalUnit, isTimeZone } from './calendar.ts'
import type { Currency } from './currency.ts'
import type { Fault } from './errors.ts'

/** Uses the member names of the API. */
export type LineItem = {
  readonly name: string
  readonly description: string | null
  readonly unit_amount: number
  readonly quantity: number
  /** Whether the payer may change the quantity. */
  readonly adjustable_quantity: boolean
  /** The quantities that the payer may choose. Only in `subscription` mode. */
  readonly quantity_limits?: QuantityLimits
  /** The price of the item. Omitted if the amount was sent. */
  readonly price_id?: string
  readonly product_id?: string
  /** How often the item is charged. Omitted if it is charged once. */
  readonly recurring?: { readonly interval: IntervalUnit; readonly interval_count: number }
}

export type QuantityLimits = { readonly min: number; readonly max: number }

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

/** What a link or session is for. `setup` stores a card without a charge. */
export const checkoutModes = ['payment', 'subscription', 'setup'] as const
export type CheckoutMode = (typeof checkoutModes)[number]

/** The options of the subscription that is sold, with the member names of the API. */
export type SubscriptionOptions = {
  readonly trial?: {
    readonly days: number
    readonly end_behaviour?: 'activate' | 'pause' | 'cancel'
    readonly missing_payment_method?: 'pause' | 'cancel' | 'invoice'
  } | null
  readonly anchor?: {
    readonly day_of_month?: number
    readonly time_zone?: string
    readonly stub?: 'prorate' | 'free'
  }
  readonly metadata?: { readonly [key: string]: string }
}

type AnchorInput = { readonly day_of_month?: number | undefined; readonly time_zone?: string | undefined }

/** The faults in the anchor of a subscription whose interval has this unit. */
export function faultsOfAnchor(input: AnchorInput | undefined, unit: IntervalUnit): Fault[] {
  const { time_zone: timeZone = 'UTC', day_of_month: dayOfMonth } = input ?? {}
  const faults: Fault[] = []
  if (!isTimeZone(timeZone))
    faults.push({
      pointer: '/anchor/time_zone',
      code: 'bad_format',
      detail: 'must be an IANA time zone such as Europe/Berlin',
    })
  if (dayOfMonth !== undefined && (unit === 'day' || unit === 'week'))
    faults.push({
      pointer: '/anchor/day_of_month',
      code: 'not_together',
      detail: 'is allowed for monthly and yearly intervals only',
    })
  return faults
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

/**
 * The details that payers must enter. In every mode except `payment`, the card is saved for a customer: if
 * the link or session has none, the customer is created from these details, and needs an email address.
 */
export function fieldsToCollect({
  mode,
  customerId,
  collect,
}: {
  readonly mode: CheckoutMode
  readonly customerId: string | null
  readonly collect: readonly Collectable[]
}): readonly Collectable[] {
  const needsEmail = mode !== 'payment' && customerId === null && !collect.includes('email')
  return needsEmail ? ['email', ...collect] : collect
}

export const largestAmount = 999_999_999_999

/** The sum of all line items. */
export function totalOf(items: readonly LineItem[]): number {
  return items.reduce((sum, { unit_amount, quantity }) => sum + unit_amount * quantity, 0)
}

/** The amount that a payer is likely to pay, before it is chosen. */
export function expectedAmount({ amount, openAmount, lineItems }: Omit<Cart, 'currency'>): bigint {
  if (lineItems !== null) return BigInt(totalOf(lineItems))
  return amount ?? BigInt(openAmount?.suggested ?? openAmount?.min ?? 1)
}

/** The line items with the quantity that the payer chose; null if the quantity is not adjustable. */
export function withQuantity(items: readonly LineItem[] | null, quantity: number): LineItem[] | null {
  const [only, ...others] = items ?? []
  if (only === undefined || others.length > 0 || !only.adjustable_quantity) return null
  return [{ ...only, quantity }]
}

/** Validates the quantities that a payer chose, one per line item. */
export function faultsOfQuantities(items: readonly LineItem[], quantities: readonly number[]): Fault[] {
  if (quantities.length !== items.length)
    return [{ pointer: '/quantities', code: 'bad_format', detail: `must have ${items.length} numbers` }]
  return items.flatMap(({ quantity, quantity_limits: limits }, index): Fault[] => {
    const { min, max } = limits ?? { min: quantity, max: quantity }
    const chosen = quantities[index] as number
    const pointer = `/quantities/${index}`
    if (chosen < min) return [{ pointer, code: 'too_small', detail: `must be ${min} or more` }]
    return chosen > max ? [{ pointer, code: 'too_large', detail: `must be ${max} or less` }] : []
  })
}

/** Validates the amount that a payer chose. */
export function faultsOfAmount({ openAmount }: Pick<Cart, 'openAmount'>, amount: number): Fault[] {
  const pointer = '/amount'
  if (openAmount === null) return [{ pointer, code: 'not_together', detail: 'is fixed and must be omitted' }]
  const { min, max } = openAmount
  if (amount < min) return [{ pointer, code: 'too_small', detail: `must be ${min} or more` }]
  return amount > max ? [{ pointer, code: 'too_large', detail: `must be ${max} or less` }] : []
}

/** Validates the price of a cart in a request. */
export function faultsOfCart(mode: CheckoutMode, cart: Omit<Cart, 'currency'>): Fault[] {
  const prices = Object.entries({
    amount: cart.amount,
    open_amount: cart.openAmount,
    line_items: cart.lineItems,
  }).filter(([, value]) => value !== null)
  if (mode === 'setup')
    return prices.map(([name]) => ({
      pointer: `/${name}`,
      code: 'not_together',
      detail: 'must be omitted: the mode setup charges nothing',
    }))
  if (prices.length === 0)
    return [
      {
        pointer: '/amount',
        code: 'required',
        detail: 'is required unless open_amount or line_items is sent',
      },
    ]
  const [, second] = prices
  if (second !== undefined)
    return [
      { pointer: `/${second[0]}`, code: 'not_together', detail: `cannot be combined with ${prices[0]?.[0]}` },
    ]
  return [...faultsOfOpenAmount(cart.openAmount), ...faultsOfLineItems(cart.lineItems)]
}

function faultsOfOpenAmount(open: OpenAmount | null): Fault[] {
  if (open === null) return []
  const { min, max, suggested } = open
  if (max < min)
    return [
      { pointer: '/open_amount/max', code: 'too_small', detail: 'must be greater than or equal to min' },
    ]
  if (suggested === null || (suggested >= min && suggested <= max)) return []
  return [{ pointer: '/open_amount/suggested', code: 'bad_format', detail: 'must be between min and max' }]
}

function faultsOfLineItems(items: readonly LineItem[] | null): Fault[] {
  if (items === null) return []
  const total = totalOf(items)
  if (total < 1)
    return [{ pointer: '/line_items', code: 'too_small', detail: 'must have a total greater than 0' }]
  if (total <= largestAmount) return []
  return [
    { pointer: '/line_items', code: 'too_large', detail: `must have a total of ${largestAmount} or less` },
  ]
}

/** Validates the custom fields of a cart in a request. */
export function faultsOfFields(fields: readonly CustomField[]): Fault[] {
  return fields.flatMap(({ key, type, options }, index) => {
    const pointer = `/custom_fields/${index}`
    const isFirst = fields.findIndex((field) => field.key === key) === index
    return [
      ...(isFirst
        ? []
        : [{ pointer: `${pointer}/key`, code: 'not_together', detail: 'is a duplicate key' } as const]),
      ...((type === 'dropdown') === options.length > 0
        ? []
        : [
            {
              pointer: `${pointer}/options`,
              code: 'required',
              detail: 'are required for a dropdown, and must be omitted for other types',
            } as const,
          ]),
    ]
  })
}
