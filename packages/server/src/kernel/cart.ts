/**
 * What a payer pays and which fields they fill in. Payment links and the checkout sessions opened from them
 * share this type. A cart has exactly one of three kinds of price: a fixed amount, an amount that the payer
 * chooses, or line items.
 */
import { type IntervalUnit, isTimeZone } from './calendar.ts'
import type { Currency } from './currency.ts'
import type { Fault } from './errors.ts'
import type { TaxRate } from './invoice-arithmetic.ts'
import { amountFor, type PriceFactors, type Pricing } from './price-schemes.ts'

/** Uses the member names of the API. */
export type LineItem = {
  readonly name: string
  readonly description: string | null
  /** Null if the price has tiers. */
  readonly unit_amount: number | null
  /** How the amount of the quantity is calculated. Omitted if it is the unit amount times the quantity. */
  readonly pricing?: Pricing
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
  /** The tax rate when the session was created, if tax is added to the prices. Null: the item is not taxed. */
  readonly tax?: TaxRate | null
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

/** The validation errors in the anchor of a subscription whose interval has this unit. */
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

/** Whether a page saves the card of a payment: never, if the payer agrees, or always. */
export const saveModes = ['off', 'ask', 'required'] as const
export type SaveMode = (typeof saveModes)[number]

/** With the member names of the API. In modes other than `payment` the card is always saved. */
export type SavedMethods = { readonly show: boolean; readonly save: SaveMode }
export const noSavedMethods: SavedMethods = { show: false, save: 'off' }

/**
 * The details that payers must enter. If the card is saved, as in every mode except `payment`, and the link or
 * session has no customer, the customer is created from these details, and needs an email address.
 */
export function fieldsToCollect({
  mode,
  customerId,
  collect,
  savedMethods,
}: {
  readonly mode: CheckoutMode
  readonly customerId: string | null
  readonly collect: readonly Collectable[]
  readonly savedMethods: SavedMethods
}): readonly Collectable[] {
  const savesCard = mode !== 'payment' || savedMethods.save === 'required'
  const needsEmail = savesCard && customerId === null && !collect.includes('email')
  return needsEmail ? ['email', ...collect] : collect
}

/** The mode `setup` charges nothing. */
export const nothingToReduce: Fault = {
  pointer: '/allow_promotion_codes',
  code: 'not_together',
  detail: 'must be false in setup mode, which charges nothing',
}

export const largestAmount = 999_999_999_999

/** The sum of all line items. */
export function totalOf(items: readonly LineItem[]): number {
  return items.reduce((sum, item) => sum + amountOfItem(item), 0)
}

/** The amount of a line. */
export function amountOfItem(item: Pick<LineItem, 'unit_amount' | 'pricing' | 'quantity'>): number {
  return Number(amountFor(factorsOfItem(item), item.quantity))
}

export function factorsOfItem({
  unit_amount: unit,
  pricing,
}: Pick<LineItem, 'unit_amount' | 'pricing'>): PriceFactors {
  return {
    unitAmountDecimal: unit === null ? null : String(unit),
    ...(pricing === undefined ? {} : { pricing }),
  }
}

/**
 * The amount of a line for each quantity that the payer can choose, so that the page shows exactly what is charged.
 * Empty if the quantity is fixed, or the amount is the unit amount times the quantity.
 */
export function amountsByQuantity(item: LineItem): number[] {
  const { adjustable_quantity: isAdjustable, pricing, quantity_limits: limits = defaultLimits } = item
  if (!isAdjustable || pricing === undefined) return []
  const quantities = Array.from({ length: limits.max - limits.min + 1 }, (_, index) => limits.min + index)
  return quantities.map((quantity) => amountOfItem({ ...item, quantity }))
}

/** The default limits of the quantity that a payer can choose. */
export const defaultLimits: QuantityLimits = { min: 1, max: 99 }

/** How many quantities the payer can choose from if the amount is not a multiple of the unit amount. */
export const maxChoices = 1000

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
