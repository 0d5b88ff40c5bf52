/** Prices on the wire. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import {
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  OneOf,
  shownNullable,
  Time,
} from '../../../kernel/shapes.ts'
import { intervals, type Price, wholeUnits } from '../price.ts'

const maxAmount = 999_999_999_999

const active = Type.Boolean({
  description: 'Whether something new can be billed by it. What is billed by it already goes on.',
  examples: [true],
  loggable: true,
})
const currency = OneOf(currencies, {
  description: 'ISO 4217, lower case.',
  examples: ['eur'],
  loggable: true,
})
const unitAmount = Type.Integer({
  minimum: 0,
  maximum: maxAmount,
  description: 'What one unit costs, in the smallest unit of the currency.',
  examples: [2999],
  loggable: true,
})
const unitAmountDecimal = Type.String({
  pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,12})?$',
  faultDetail: 'must be a decimal of up to 12 digits before and 12 after the point, such as 0.4',
  description: 'The same as a decimal, which may be a part of the smallest unit: `0.4` is 0.4 cents.',
  examples: ['2999'],
  loggable: true,
})
const lookupKey = nullable(
  Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,200}$',
    faultDetail: 'must have 1 to 200 letters, digits, ".", "_" or "-"',
    description:
      'A name of your own. Wherever a `price_id` is asked for, `lookup:<key>` is the price that has it.',
    examples: ['team_monthly_eur'],
  }),
)
const nickname = nullable(
  Type.String({
    minLength: 1,
    maxLength: 250,
    description: 'A note for your people.',
    examples: ['Monthly, Europe'],
  }),
)

const RecurringShape = Type.Object(
  {
    interval: OneOf(intervals, { description: 'How often it is billed.', examples: ['month'] }),
    interval_count: Type.Integer({
      minimum: 1,
      maximum: 1095,
      default: 1,
      description: 'How many intervals make one period: 3 with `month` is a quarter. At most three years.',
      examples: [1],
    }),
  },
  { description: 'How often it is billed. Null for a price that is paid once.' },
)

export const PriceObject = Type.Object(
  {
    id: IdOf('price'),
    object: Type.Literal('price'),
    product_id: IdOf('product'),
    active,
    currency,
    type: OneOf(['recurring', 'one_time'], {
      description: 'Whether it is billed again and again.',
      loggable: true,
    }),
    scheme: OneOf(['per_unit'], { description: 'How a quantity becomes an amount.', loggable: true }),
    unit_amount: nullable(
      Type.Integer({
        description: 'What one unit costs; null if that is a part of the smallest unit.',
        examples: [2999],
      }),
    ),
    unit_amount_decimal: unitAmountDecimal,
    recurring: shownNullable(RecurringShape),
    lookup_key: lookupKey,
    nickname,
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'Price',
    description: 'What a product costs in one currency, once or again and again. Its money never changes.',
  },
)

const transfer = Type.Boolean({
  default: false,
  description:
    'Takes the `lookup_key` from the price that has it. Without it, a key that is taken is refused.',
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
      OneOf(['per_unit'], { default: 'per_unit', description: 'How a quantity becomes an amount.' }),
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
            description: 'How often it is billed. A price without it is paid once.',
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
