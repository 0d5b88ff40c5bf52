/** API schemas of the amount and the requested payer data, shared by links and sessions. */
import { type Static, Type } from 'typebox'
import { intervalUnits } from '../../../../kernel/calendar.ts'
import {
  type Cart,
  checkoutModes,
  collectables,
  customFieldTypes,
  largestAmount,
  totalOf,
} from '../../../../kernel/cart.ts'
import { currencies } from '../../../../kernel/currency.ts'
import { IdOf, Metadata, nullable, nullableWithNullExample, OneOf, Time } from '../../../../kernel/shapes.ts'
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

const limit = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: 10_000, description, examples: [example] })

export const LineItem = Type.Object({
  name: itemName,
  description: itemDescription,
  unit_amount: amount('Price of one unit in minor units, e.g. 1299 for €12.99.', 0),
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

const SubscriptionOptions = Type.Object(
  { ...checkoutOptions, metadata: Type.Optional(Metadata) },
  { additionalProperties: false, description: 'Options of the subscription that is sold.' },
)

/** The members of a link or session in responses. */
export const cartMembers = {
  amount: nullable(
    amount('Amount in minor units, e.g. 1299 for €12.99. Null until the payer has chosen an open amount.'),
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
          unit_amount: Type.Optional(LineItem.properties.unit_amount),
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
    amount: Type.Integer({ description: 'Amount of each full interval, in minor units.', examples: [1299] }),
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
  readonly recurring: bigint
  readonly interval: { readonly unit: (typeof intervalUnits)[number]; readonly count: number }
  readonly trialEndAt: Date | null
  readonly nextChargeAt: Date
}

export function presentOffer(offer: OfferFields): Static<typeof Offer> {
  return {
    due_now: Number(offer.dueNow),
    amount: Number(offer.recurring),
    interval: offer.interval.unit,
    interval_count: offer.interval.count,
    trial_end_at: offer.trialEndAt?.toISOString() ?? null,
    next_charge_at: offer.nextChargeAt.toISOString(),
  }
}

export function presentCart({ currency, amount: fixed, openAmount, lineItems }: Cart) {
  const total = lineItems === null ? null : totalOf(lineItems)
  return {
    amount: fixed === null ? total : Number(fixed),
    open_amount: openAmount,
    line_items: lineItems === null ? null : [...lineItems],
    currency,
  }
}
