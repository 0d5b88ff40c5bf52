/** API schemas of promotion codes. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
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
import type { PromotionCode } from './promotion-code.ts'

const code = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,50}$',
  faultDetail: 'must consist of 1 to 50 letters, digits, "_" or "-"',
  description:
    'What customers enter. Case does not matter: the code is stored in upper case. Unique among active codes.',
  examples: ['SPRING20'],
})
const active = Type.Boolean({
  description: 'Whether the code can be redeemed.',
  examples: [true],
  loggable: true,
})
const firstPurchase = Type.Boolean({
  description: 'Whether only customers without a paid invoice or payment can redeem the code.',
  examples: [false],
})
const minimumAmount = Type.Integer({
  minimum: 1,
  maximum: 999_999_999_999,
  description:
    'Lowest amount of a purchase before discounts, in minor units of `currency`. Null: no minimum.',
  examples: [2000],
})
const currency = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  faultDetail: 'must be a lowercase currency code, such as eur',
  examples: ['eur'],
  loggable: true,
})
const customerId = IdOf('customer', 'The only customer who can redeem the code. Null: all customers.')
const maxRedemptions = Type.Integer({
  minimum: 1,
  maximum: 2_000_000_000,
  description: 'How many times the code can be redeemed. Null: only the limit of the coupon applies.',
  examples: [100],
})
const expiresAt = { ...Time, description: 'Time until which the code can be redeemed. Null: no limit.' }

export const PromotionCodeObject = Type.Object(
  {
    id: IdOf('promotion_code'),
    object: Type.Literal('promotion_code'),
    coupon_id: IdOf('coupon'),
    code,
    active,
    first_purchase: firstPurchase,
    minimum_amount: nullable(minimumAmount),
    currency: nullable(
      Type.String({
        description: 'Currency of `minimum_amount`. Null if there is none.',
        examples: ['eur'],
        loggable: true,
      }),
    ),
    customer_id: nullableWithNullExample(customerId),
    max_redemptions: nullable(maxRedemptions),
    expires_at: nullableWithNullExample(expiresAt),
    times_redeemed: Type.Integer({
      description: 'How many times the code was redeemed, including checkouts that are in progress.',
      examples: [3],
    }),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'PromotionCode', description: 'A code that customers enter to redeem a coupon.' },
)

export const CreatePromotionCode = Type.Object(
  {
    coupon_id: IdOf('coupon'),
    code,
    first_purchase: Type.Optional(firstPurchase),
    minimum_amount: Type.Optional(nullable(minimumAmount)),
    currency: Type.Optional(currency),
    customer_id: Type.Optional(nullable(customerId)),
    max_redemptions: Type.Optional(nullable(maxRedemptions)),
    expires_at: Type.Optional(nullable(expiresAt)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreatePromotionCode = Static<typeof CreatePromotionCode>

export const UpdatePromotionCode = Type.Object(
  { active: Type.Optional(active), metadata: Type.Optional(MetadataChange) },
  { additionalProperties: false },
)
export type UpdatePromotionCode = Static<typeof UpdatePromotionCode>

export const PromotionCodePath = Type.Object({ promotion_code_id: IdOf('promotion_code') })

export function present(promotionCode: PromotionCode): Static<typeof PromotionCodeObject> {
  const { minimum } = promotionCode
  return {
    id: promotionCode.id,
    object: 'promotion_code',
    coupon_id: promotionCode.couponId,
    code: promotionCode.code,
    active: promotionCode.active,
    first_purchase: promotionCode.firstPurchase,
    minimum_amount: minimum === null ? null : Number(minimum.amount),
    currency: minimum?.currency ?? null,
    customer_id: promotionCode.customerId,
    max_redemptions: promotionCode.maxRedemptions,
    expires_at: promotionCode.expiresAt?.toISOString() ?? null,
    times_redeemed: promotionCode.timesRedeemed,
    metadata: promotionCode.metadata,
    created_at: promotionCode.createdAt.toISOString(),
    updated_at: promotionCode.updatedAt.toISOString(),
  }
}
