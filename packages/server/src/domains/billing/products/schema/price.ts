/** API schemas of prices. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../../kernel/currency.ts'
import { maxTiers, schemes } from '../../../../kernel/price-schemes.ts'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import { intervals, type Price, taxBehaviors, wholeUnits } from '../price.ts'

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
const taxBehavior = {
  description:
    'Whether tax is added to the amount (`exclusive`) or contained in it (`inclusive`). It cannot be changed.',
  examples: ['exclusive' as const],
  loggable: true,
}
const scheme = OneOf(schemes, {
  default: 'per_unit',
  description:
    'How the amount is calculated from the quantity. `per_unit`: unit amount times quantity. `graduated`: each unit is charged at the price of its own tier. `volume`: all units are charged at the price of the highest tier that the quantity reaches. `package`: unit amount times the number of packages.',
  examples: ['per_unit'],
  loggable: true,
})
const TierShape = Type.Object({
  up_to: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      description: 'Last unit of the tier. Null for the last tier, which has no end.',
      examples: [10],
    }),
  ),
  unit_amount_decimal: {
    ...unitAmountDecimal,
    description: 'Price of one unit in minor units, as a decimal.',
  },
  flat_amount: Type.Integer({
    minimum: 0,
    maximum: maxAmount,
    description:
      'Amount in minor units that is added once if the quantity reaches the tier. The first tier is always reached.',
    examples: [0],
  }),
})
const PackageShape = Type.Object({
  size: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Number of units in a package. The unit amount is the price of a package.',
    examples: [100],
  }),
  round: OneOf(['up', 'down'], {
    default: 'up',
    description: 'Whether a partly used package is charged in full (`up`) or not charged (`down`).',
    examples: ['up'],
  }),
})
const tiersDescription =
  'Tiers in ascending order. Required for `graduated` and `volume`, and null for other schemes.'
const packageDescription = 'Size of a package. Required for `package`, and null for other schemes.'
const limit = (description: string) =>
  nullableWithNullExample(
    Type.Integer({ minimum: 0, maximum: maxAmount, description, examples: [1000], loggable: true }),
  )
const limits = {
  minimum_amount: limit(
    'Smallest amount of a full period in minor units, for any quantity. Prorated like the price. Null: no minimum.',
  ),
  maximum_amount: limit(
    'Largest amount of a full period in minor units, for any quantity. Prorated like the price. Null: no maximum.',
  ),
}
const meterDescription =
  'Meter whose usage is billed at the end of each period. Null: the quantity is set by the subscription.'
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
    scheme,
    unit_amount: nullable(
      Type.Integer({
        description:
          'Price of one unit or package in minor units. Null if the price includes a fraction of a minor unit, see `unit_amount_decimal`, and for prices with tiers.',
        examples: [2999],
      }),
    ),
    unit_amount_decimal: nullable({
      ...unitAmountDecimal,
      description:
        'Price of one unit or package in minor units, as a decimal with optional fractions: `0.4` is 0.4 cents. Null for prices with tiers.',
    }),
    tiers: nullableWithNullExample(Type.Array(TierShape, { description: tiersDescription })),
    package: nullableWithNullExample({ ...PackageShape, description: packageDescription }),
    ...limits,
    tax_behavior: OneOf(taxBehaviors, taxBehavior),
    recurring: nullableWithExample(RecurringShape),
    meter_id: nullableWithNullExample(IdOf('meter', meterDescription)),
    lookup_key: lookupKey,
    nickname,
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Price',
    description: 'A one-time or recurring price of a product in one currency. Its terms cannot be changed.',
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
    tax_behavior: Type.Optional(OneOf(taxBehaviors, { ...taxBehavior, default: 'exclusive' })),
    scheme: Type.Optional(scheme),
    tiers: Type.Optional(
      nullable(
        Type.Array(
          Type.Object(
            {
              up_to: TierShape.properties.up_to,
              unit_amount_decimal: Type.Optional({
                ...TierShape.properties.unit_amount_decimal,
                default: '0',
              }),
              flat_amount: Type.Optional({ ...TierShape.properties.flat_amount, default: 0 }),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: maxTiers, description: tiersDescription },
        ),
      ),
    ),
    package: Type.Optional(
      nullable(
        Type.Object(
          { size: PackageShape.properties.size, round: Type.Optional(PackageShape.properties.round) },
          { additionalProperties: false, description: packageDescription },
        ),
      ),
    ),
    minimum_amount: Type.Optional(limits.minimum_amount),
    maximum_amount: Type.Optional(limits.maximum_amount),
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
    meter_id: Type.Optional(
      nullableWithNullExample(
        IdOf(
          'meter',
          'Meter whose usage is billed at the end of each period. The price must be recurring, and a period is at most a month.',
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
  const { recurring, pricing } = price
  return {
    id: price.id,
    object: 'price',
    product_id: price.productId,
    active: price.active,
    currency: price.currency,
    type: recurring === null ? 'one_time' : 'recurring',
    scheme: pricing.scheme,
    unit_amount: wholeUnits(price.unitAmountDecimal),
    unit_amount_decimal: price.unitAmountDecimal,
    tax_behavior: price.taxBehavior,
    tiers: pricing.tiers === null ? null : [...pricing.tiers],
    package: pricing.package,
    minimum_amount: pricing.minimum_amount,
    maximum_amount: pricing.maximum_amount,
    recurring:
      recurring === null ? null : { interval: recurring.interval, interval_count: recurring.intervalCount },
    meter_id: price.meterId,
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
