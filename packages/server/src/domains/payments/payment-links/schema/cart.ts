/** API schemas of the amount and the requested payer data, shared by links and sessions. */
import { type Static, Type } from 'typebox'
import { intervalUnits } from '../../../../kernel/calendar.ts'
import {
  amountOfItem,
  amountsByQuantity,
  type Cart,
  checkoutModes,
  collectables,
  customFieldTypes,
  type LineItem as Item,
  largestAmount,
  type SavedMethods,
  saveModes,
  totalOf,
} from '../../../../kernel/cart.ts'
import { currencies } from '../../../../kernel/currency.ts'
import type { TaxGroup } from '../../../../kernel/invoice-arithmetic.ts'
import { IdOf, Metadata, nullable, nullableWithNullExample, OneOf, Time } from '../../../../kernel/shapes.ts'
import { PriceObject } from '../../../billing/products/schema/price.ts'
import { checkoutOptions } from '../../../billing/subscriptions/schema/commands.ts'

const amount = (description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: largestAmount, description, examples: [1299] })

export const Currency = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  examples: ['eur'],
  faultDetail: 'must be a lowercase currency code, such as eur',
  loggable: true,
})
export const Mode = OneOf(checkoutModes, {
  description:
    '`payment`: the payer pays once. `subscription`: the payer pays for the first period, and the subscription is created after the payment. `setup`: the payer stores a card for a customer, and nothing is charged.',
  examples: ['payment'],
  loggable: true,
})
const itemName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name shown to the payer.',
  examples: ['A book'],
})
const itemDescription = nullable(
  Type.String({ minLength: 1, maxLength: 500, description: 'Description shown to the payer.' }),
)
const quantity = Type.Integer({ minimum: 1, maximum: 10_000, examples: [1], description: 'Quantity.' })

const unitAmount = amount('Price of one unit in minor units, e.g. 1299 for €12.99.', 0)

const limit = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: 10_000, description, examples: [example] })

export const LineItem = Type.Object({
  name: itemName,
  description: itemDescription,
  unit_amount: nullable({
    ...unitAmount,
    description:
      'Price of one unit or package in minor units, e.g. 1299 for €12.99. Null if the price has tiers.',
  }),
  pricing: Type.Optional(
    Type.Object(
      {
        scheme: PriceObject.properties.scheme,
        tiers: PriceObject.properties.tiers,
        package: PriceObject.properties.package,
        minimum_amount: PriceObject.properties.minimum_amount,
        maximum_amount: PriceObject.properties.maximum_amount,
      },
      {
        description:
          'Terms of the price. Omitted if the amount of the item is the unit amount times the quantity.',
      },
    ),
  ),
  amount: Type.Integer({ description: 'Amount of the item in minor units.', examples: [1299] }),
  quantity,
  adjustable_quantity: Type.Boolean({
    description:
      'Whether the payer can change the quantity. In `payment` mode, only possible for a single line item.',
    examples: [false],
  }),
  quantity_limits: Type.Optional(
    Type.Object(
      { min: limit('Smallest quantity.', 1), max: limit('Largest quantity.', 10) },
      { description: 'Quantities that the payer can choose. Only in `subscription` mode.' },
    ),
  ),
  price_id: Type.Optional(IdOf('price', 'Price of the item. Omitted if you sent the amount.')),
  product_id: Type.Optional(IdOf('product', 'Product of the price.')),
  recurring: Type.Optional(
    Type.Object(
      {
        interval: OneOf(intervalUnits, { description: 'Unit of the interval.', examples: ['month'] }),
        interval_count: Type.Integer({ description: 'Number of units per interval.', examples: [1] }),
      },
      { description: 'How often the item is charged. Omitted if it is charged once.' },
    ),
  ),
})

export const OpenAmount = Type.Object({
  min: amount('Minimum amount in minor units.'),
  max: amount('Maximum amount in minor units.'),
  suggested: nullable(amount('Prefilled amount in minor units. Null if there is none.')),
})

export const CustomField = Type.Object({
  key: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,39}$',
    faultDetail: 'must start with a lowercase letter and contain only lowercase letters, digits and "_"',
    description: 'Key of the value in `custom_fields`.',
    examples: ['size'],
  }),
  label: Type.String({
    minLength: 1,
    maxLength: 80,
    description: 'Label shown to the payer.',
    examples: ['Size'],
  }),
  type: OneOf(customFieldTypes, { description: 'Type of the input field.' }),
  required: Type.Boolean({ description: 'Whether the payer must fill in the field.', examples: [false] }),
  options: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: 50,
    description: 'Options of a `dropdown`.',
    examples: [[]],
  }),
})

const collect = Type.Array(OneOf(collectables), {
  maxItems: collectables.length,
  uniqueItems: true,
  description: 'Details that payers must enter in addition to their card.',
  examples: [['name']],
})
const customFields = Type.Array(CustomField, {
  maxItems: 3,
  description: 'Up to three custom fields that payers fill in.',
  examples: [[]],
})

const showSaved = Type.Boolean({
  description:
    'Whether the hosted page shows saved cards of the payer. Cards of the customer are shown immediately if your server created the checkout session with `customer_id`. Otherwise payers enter a code that is e-mailed to them first.',
  examples: [true],
})
const saveMode = OneOf(saveModes, {
  description:
    '`off`: the card of a payment is not saved. `ask`: the payer decides. `required`: it is always saved. Other methods, such as iDEAL and debits, are not saved. In modes other than `payment`, the card is always saved.',
  examples: ['ask'],
  loggable: true,
})
const savedMethods = Type.Object(
  { show: showSaved, save: saveMode },
  { description: 'Saved cards of returning payers.' },
)

const SubscriptionOptions = Type.Object(
  { ...checkoutOptions, metadata: Type.Optional(Metadata) },
  { additionalProperties: false, description: 'Options of the subscription that is sold.' },
)

/** The members of a link or session in responses. */
export const cartMembers = {
  amount: nullable(
    amount(
      'Amount in minor units, e.g. 1299 for €12.99. Null for an open amount, until the payer of a session has chosen it.',
    ),
  ),
  open_amount: nullable({
    ...OpenAmount,
    description: 'Limits for an amount that the payer chooses. Null for a fixed amount.',
  }),
  line_items: nullable(
    Type.Array(LineItem, { description: 'Items to pay for, with their prices. Null if there are none.' }),
  ),
  currency: Currency,
  mode: Mode,
  subscription: nullableWithNullExample({
    ...SubscriptionOptions,
    description: 'Options of the subscription that is sold. Null except in `subscription` mode.',
  }),
}
export const payerDetailsMembers = { collect, custom_fields: customFields }
const allowPromotionCodes = Type.Boolean({
  description:
    'Whether payers can enter a promotion code on the payment page. The redemption is reserved when a payment begins, and released if the payment fails.',
  examples: [false],
  loggable: true,
})
export const promotionCodesMember = { allow_promotion_codes: allowPromotionCodes }
export const promotionCodesInput = {
  allow_promotion_codes: Type.Optional({ ...allowPromotionCodes, default: false }),
}
export const savedMethodsMember = { saved_methods: savedMethods }
export const savedMethodsInput = {
  saved_methods: Type.Optional(
    Type.Object(
      {
        show: Type.Optional({ ...showSaved, default: false }),
        save: Type.Optional({ ...saveMode, default: 'off' }),
      },
      { additionalProperties: false, description: 'Saved cards of returning payers.' },
    ),
  ),
}

/** A card that a payer may select. */
export const SavedCard = Type.Object({
  payment_method_id: IdOf('payment_method'),
  brand: Type.String({ description: 'Card brand, e.g. `visa`.', examples: ['visa'] }),
  last4: Type.String({ description: 'Last four digits of the card number.', examples: ['4242'] }),
  exp_month: Type.Integer({ description: 'Month of expiry.', examples: [12] }),
  exp_year: Type.Integer({ description: 'Year of expiry.', examples: [2030] }),
})

/** The saved cards as a page shows them. */
export const PublicSavedMethods = Type.Object(
  {
    access: OneOf(['none', 'listed', 'code'], {
      description:
        '`none`: saved cards cannot be used. `listed`: `cards` contains them. `code`: the payer enters a code that is e-mailed to them first.',
      examples: ['none'],
    }),
    save: OneOf(saveModes, { description: 'Whether the card of the payment is saved.', examples: ['off'] }),
    cards: Type.Array(SavedCard, { description: 'Saved cards of the customer.', examples: [[]] }),
  },
  { description: 'Saved cards of the payer.' },
)

/** `cards` is null if the payer has to enter a code first. */
export function presentSavedMethods(
  { mode, savedMethods: { show, save } }: { readonly mode: string; readonly savedMethods: SavedMethods },
  isCharged: boolean,
  cards: readonly Static<typeof SavedCard>[] | null,
): Static<typeof PublicSavedMethods> {
  const access = show && isCharged ? (cards === null ? 'code' : 'listed') : 'none'
  return {
    access,
    save: mode === 'payment' ? save : 'off',
    cards: access === 'listed' ? [...(cards ?? [])] : [],
  }
}

/** The members of a request. It must contain one of `amount`, `open_amount` and `line_items`. */
export const cartInput = {
  amount: Type.Optional(amount('Amount in minor units, e.g. 1299 for €12.99.')),
  open_amount: Type.Optional(
    Type.Object(
      {
        min: OpenAmount.properties.min,
        max: OpenAmount.properties.max,
        suggested: Type.Optional(OpenAmount.properties.suggested),
      },
      { additionalProperties: false, description: 'Limits for an amount that the payer chooses.' },
    ),
  ),
  line_items: Type.Optional(
    Type.Array(
      Type.Object(
        {
          price_id: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 250,
              description:
                'ID of a price, or `lookup:<key>`. Recurring prices require `subscription` mode. Send either this, or `name` and `unit_amount`.',
              examples: ['price_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
              loggable: true,
            }),
          ),
          name: Type.Optional(itemName),
          unit_amount: Type.Optional(unitAmount),
          description: Type.Optional(itemDescription),
          quantity: Type.Optional({ ...quantity, default: 1 }),
          adjustable_quantity: Type.Optional({ ...LineItem.properties.adjustable_quantity, default: false }),
          quantity_limits: Type.Optional(
            Type.Object(
              { min: limit('Smallest quantity.', 1), max: limit('Largest quantity.', 10) },
              {
                additionalProperties: false,
                description:
                  'Quantities that the payer can choose. Default: 1 to 99. Only in `subscription` mode, with `adjustable_quantity`.',
              },
            ),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 20, description: 'Items to pay for, with their prices.' },
    ),
  ),
  currency: Type.Optional({
    ...Currency,
    description:
      'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`. Required, except with prices and in `setup` mode.',
  }),
  mode: Type.Optional({ ...Mode, default: 'payment' }),
  subscription: Type.Optional(SubscriptionOptions),
}
const { key, label, type, required, options } = CustomField.properties
export const payerDetailsInput = {
  collect: Type.Optional(collect),
  custom_fields: Type.Optional(
    Type.Array(
      Type.Object(
        {
          key,
          label,
          type: Type.Optional({ ...type, default: 'text' }),
          required: Type.Optional({ ...required, default: false }),
          options: Type.Optional(options),
        },
        { additionalProperties: false },
      ),
      { maxItems: 3, description: 'Up to three custom fields that payers fill in.' },
    ),
  ),
}

/** What a payer who buys a subscription is charged now and later. */
export const Offer = Type.Object(
  {
    due_now: Type.Integer({ description: 'Amount that is charged now, in minor units.', examples: [1299] }),
    taxes: Type.Array(
      Type.Object({
        percentage: Type.String({ description: 'Percentage as a decimal.', examples: ['19'] }),
        amount: Type.Integer({ description: 'Tax in minor units.', examples: [207] }),
      }),
      {
        description: 'Tax that is added to the prices of the items and contained in `due_now`.',
        examples: [[]],
      },
    ),
    amount: Type.Integer({
      description: 'Amount of each full interval with tax, in minor units.',
      examples: [1299],
    }),
    interval: OneOf(intervalUnits, { description: 'Unit of the interval.', examples: ['month'] }),
    interval_count: Type.Integer({ description: 'Number of units per interval.', examples: [1] }),
    trial_end_at: nullableWithNullExample({
      ...Time,
      description: 'End of the trial, if the payer confirms now. Null if there is none.',
    }),
    next_charge_at: { ...Time, description: 'Time of the next charge, if the payer confirms now.' },
  },
  { description: 'What the payer is charged now and later. Null unless a subscription is sold.' },
)

type OfferFields = {
  readonly dueNow: bigint
  readonly addedTaxes: readonly TaxGroup[]
  readonly recurring: bigint
  readonly interval: { readonly unit: (typeof intervalUnits)[number]; readonly count: number }
  readonly trialEndAt: Date | null
  readonly nextChargeAt: Date
}

export function presentOffer(offer: OfferFields): Static<typeof Offer> {
  return {
    due_now: Number(offer.dueNow),
    taxes: offer.addedTaxes.map(({ rate, tax }) => ({ percentage: rate.percentage, amount: Number(tax) })),
    amount: Number(offer.recurring),
    interval: offer.interval.unit,
    interval_count: offer.interval.count,
    trial_end_at: offer.trialEndAt?.toISOString() ?? null,
    next_charge_at: offer.nextChargeAt.toISOString(),
  }
}

function presentItem({ pricing, tax: _, ...item }: Item): Static<typeof LineItem> {
  const amount = amountOfItem({ ...item, ...(pricing === undefined ? {} : { pricing }) })
  if (pricing === undefined) return { ...item, amount }
  return {
    ...item,
    amount,
    pricing: { ...pricing, tiers: pricing.tiers === null ? null : [...pricing.tiers] },
  }
}

/** Items of pages: with the amounts of all quantities that the payer can choose. */
export const PublicItem = Type.Object({
  ...LineItem.properties,
  quantity_amounts: Type.Optional(
    Type.Array(Type.Integer(), {
      description:
        'Amount of each quantity that the payer can choose, in minor units, from the smallest to the largest. Omitted if the quantity is fixed, or the amount is the unit amount times the quantity.',
      examples: [[500, 1000]],
    }),
  ),
})

export function presentPublicItems({ lineItems }: Pick<Cart, 'lineItems'>): Static<typeof PublicItem>[] {
  return (lineItems ?? []).map((item) => {
    const amounts = amountsByQuantity(item)
    return { ...presentItem(item), ...(amounts.length === 0 ? {} : { quantity_amounts: amounts }) }
  })
}

export function presentCart({ currency, amount: fixed, openAmount, lineItems }: Cart) {
  const total = lineItems === null ? null : totalOf(lineItems)
  return {
    amount: fixed === null ? total : Number(fixed),
    open_amount: openAmount,
    line_items: lineItems === null ? null : lineItems.map(presentItem),
    currency,
  }
}
