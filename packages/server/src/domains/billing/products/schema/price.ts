/** API schemas of prices. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../../kernel/currency.ts'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithExample,
  OneOf,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import { intervals, type Price, wholeUnits } from '../price.ts'

const maxAmount = 999_999_999_999

const active = Type.Boolean({
  description: 'Whether the price can be used for new purchases. Existing subscriptions are not affected.',
  examples: [true],
  loggable: true,
})
const currency = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  examples: ['eur'],
  faultDetail: 'must be a lowercase currency code, such as eur',
  loggable: true,
})
const unitAmount = Type.Integer({
  minimum: 0,
  maximum: maxAmount,
  description: 'Price of one unit in minor units, e.g. 1299 for €12.99.',
  examples: [2999],
  loggable: true,
})
const unitAmountDecimal = Type.String({
  pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,12})?$',
  faultDetail: 'must be a decimal of up to 12 digits before and 12 after the point, such as 0.4',
  description: 'Price of one unit in minor units, as a decimal with optional fractions: `0.4` is 0.4 cents.',
  examples: ['2999'],
  loggable: true,
})
const lookupKey = nullable(
  Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,200}$',
    faultDetail: 'must consist of 1 to 200 letters, digits, ".", "_" or "-"',
    description: 'Unique key of your choice. `lookup:<key>` can be used in place of a `price_id`.',
    examples: ['team_monthly_eur'],
  }),
)
const nickname = nullable(
  Type.String({
    minLength: 1,
    maxLength: 250,
    description: 'Internal note.',
    examples: ['Monthly, Europe'],
  }),
)

const RecurringShape = Type.Object(
  {
    interval: OneOf(intervals, { description: 'Unit of the billing interval.', examples: ['month'] }),
    interval_count: Type.Integer({
      minimum: 1,
      maximum: 1095,
      default: 1,
      description:
        'Number of intervals in a billing period, e.g. 3 with `month` for quarterly billing. A period lasts at most three years.',
      examples: [1],
    }),
  },
  { description: 'Billing interval. Null for a one-time price.' },
)

export const PriceObject = Type.Object(
  {
    id: IdOf('price'),
    object: Type.Literal('price'),
    product_id: IdOf('product'),
    active,
    currency,
    type: OneOf(['recurring', 'one_time'], {
      description: '`one_time`: charged once. `recurring`: charged every period.',
      loggable: true,
    }),
    scheme: OneOf(['per_unit'], {
      description: 'How the amount is calculated from the quantity.',
      loggable: true,
    }),
    unit_amount: nullable(
      Type.Integer({
        description:
          'Price of one unit in minor units. Null if the price includes a fraction of a minor unit; see `unit_amount_decimal`.',
        examples: [2999],
      }),
    ),
    unit_amount_decimal: unitAmountDecimal,
    recurring: nullableWithExample(RecurringShape),
    lookup_key: lookupKey,
    nickname,
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Price',
    description: 'A one-time or recurring price of a product in one currency. Its amount cannot be changed.',
  },
)

const transfer = Type.Boolean({
  default: false,
  description:
    'Moves the `lookup_key` from the price that currently has it. If false, a key that is already in use is rejected.',
})

const settings = {
  active: Type.Optional(active),
  lookup_key: Type.Optional(lookupKey),
  transfer_lookup_key: Type.Optional(transfer),
  nickname: Type.Optional(nickname),
  metadata: Type.Optional(MetadataChange),
}

export const CreatePrice = Type.Object(
  {
    product_id: IdOf('product'),
    currency,
    unit_amount: Type.Optional(unitAmount),
    unit_amount_decimal: Type.Optional(unitAmountDecimal),
    scheme: Type.Optional(
      OneOf(['per_unit'], {
        default: 'per_unit',
        description: 'How the amount is calculated from the quantity.',
      }),
    ),
    recurring: Type.Optional(
      nullable(
        Type.Object(
          {
            interval: RecurringShape.properties.interval,
            interval_count: Type.Optional(RecurringShape.properties.interval_count),
          },
          {
            additionalProperties: false,
            description: 'Billing interval. Omit it for a one-time price.',
          },
        ),
      ),
    ),
    ...settings,
  },
  { additionalProperties: false },
)
export type CreatePrice = Static<typeof CreatePrice>

export const UpdatePrice = Type.Object(settings, { additionalProperties: false })
export type UpdatePrice = Static<typeof UpdatePrice>

export const PricePath = Type.Object({ price_id: IdOf('price') })
export const DeletedPrice = Deleted('price', 'DeletedPrice')

export function presentPrice(price: Price): Static<typeof PriceObject> {
  const { recurring } = price
  return {
    id: price.id,
    object: 'price',
    product_id: price.productId,
    active: price.active,
    currency: price.currency,
    type: recurring === null ? 'one_time' : 'recurring',
    scheme: price.scheme,
    unit_amount: wholeUnits(price.unitAmountDecimal),
    unit_amount_decimal: price.unitAmountDecimal,
    recurring:
      recurring === null ? null : { interval: recurring.interval, interval_count: recurring.intervalCount },
    lookup_key: price.lookupKey,
    nickname: price.nickname,
    metadata: price.metadata,
    created_at: price.createdAt.toISOString(),
    updated_at: price.updatedAt.toISOString(),
  }
}

export function presentDeletedPrice({ id }: Price): Static<typeof DeletedPrice> {
  return { id, object: 'price', deleted: true }
}
