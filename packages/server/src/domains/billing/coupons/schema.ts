/** API schemas of coupons. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { couponDurations } from '../../../kernel/discounts.ts'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import type { Coupon } from './coupon.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'Name of the coupon, shown on invoices.',
  examples: ['Spring offer'],
})
const active = Type.Boolean({
  description: 'Whether the coupon can be redeemed. False archives it; existing discounts continue.',
  examples: [true],
  loggable: true,
})
const percentOff = Type.String({
  pattern: '^(100(\\.0{1,4})?|[1-9]?[0-9](\\.[0-9]{1,4})?)$',
  faultDetail: 'must be a percentage above 0 and up to 100 with at most four decimals, such as "12.5"',
  description: 'Percentage off, with up to four decimals.',
  examples: ['20'],
  loggable: true,
})
const amountOff = Type.Integer({
  minimum: 1,
  maximum: 999_999_999_999,
  description:
    'Amount off every period, in minor units, of invoices in `currency`. An excess over the amount of an invoice is not carried over.',
  examples: [500],
  loggable: true,
})
const currency = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  faultDetail: 'must be a lowercase currency code, such as eur',
  examples: ['eur'],
  loggable: true,
})
const duration = OneOf(couponDurations, {
  description:
    '`once`: applies to the first period only. `periods`: applies to `duration_periods` periods. `forever`: applies to every period.',
  examples: ['periods'],
  loggable: true,
})
const durationPeriods = Type.Integer({
  minimum: 1,
  maximum: 1200,
  description: 'Number of billing periods, with the duration `periods`.',
  examples: [3],
})
const productIds = Type.Array(IdOf('product'), {
  minItems: 1,
  maxItems: 50,
  description: 'Products that the coupon applies to. Null: all products.',
})
const maxRedemptions = Type.Integer({
  minimum: 1,
  maximum: 2_000_000_000,
  description: 'How many times the coupon can be redeemed, across all customers. Null: no limit.',
  examples: [100],
})
const redeemBy = { ...Time, description: 'Time until which the coupon can be redeemed. Null: no limit.' }

export const CouponObject = Type.Object(
  {
    id: IdOf('coupon'),
    object: Type.Literal('coupon'),
    name,
    active,
    percent_off: nullable(percentOff),
    amount_off: nullableWithNullExample(amountOff),
    currency: nullableWithNullExample(
      Type.String({ description: 'Currency of `amount_off`. Null for a percentage.', loggable: true }),
    ),
    duration,
    duration_periods: nullable(durationPeriods),
    product_ids: nullableWithNullExample(productIds),
    max_redemptions: nullable(maxRedemptions),
    redeem_by: nullableWithNullExample(redeemBy),
    times_redeemed: Type.Integer({
      description: 'How many times the coupon was redeemed, including checkouts that are in progress.',
      examples: [12],
    }),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Coupon',
    description: 'A percentage or an amount off invoices. Its terms cannot be changed.',
  },
)

export const CreateCoupon = Type.Object(
  {
    name,
    percent_off: Type.Optional(percentOff),
    amount_off: Type.Optional(amountOff),
    currency: Type.Optional(currency),
    duration,
    duration_periods: Type.Optional(durationPeriods),
    product_ids: Type.Optional(nullable(productIds)),
    max_redemptions: Type.Optional(nullable(maxRedemptions)),
    redeem_by: Type.Optional(nullable(redeemBy)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateCoupon = Static<typeof CreateCoupon>

export const UpdateCoupon = Type.Object(
  { name: Type.Optional(name), active: Type.Optional(active), metadata: Type.Optional(MetadataChange) },
  { additionalProperties: false },
)
export type UpdateCoupon = Static<typeof UpdateCoupon>

export const CouponPath = Type.Object({ coupon_id: IdOf('coupon') })

export function present(coupon: Coupon): Static<typeof CouponObject> {
  const { off } = coupon
  return {
    id: coupon.id,
    object: 'coupon',
    name: coupon.name,
    active: coupon.active,
    percent_off: 'percentage' in off ? off.percentage : null,
    amount_off: 'amount' in off ? Number(off.amount) : null,
    currency: coupon.currency,
    duration: coupon.duration,
    duration_periods: coupon.durationPeriods,
    product_ids: coupon.productIds === null ? null : [...coupon.productIds],
    max_redemptions: coupon.maxRedemptions,
    redeem_by: coupon.redeemBy?.toISOString() ?? null,
    times_redeemed: coupon.timesRedeemed,
    metadata: coupon.metadata,
    created_at: coupon.createdAt.toISOString(),
    updated_at: coupon.updatedAt.toISOString(),
  }
}
