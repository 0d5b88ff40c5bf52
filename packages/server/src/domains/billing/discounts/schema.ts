/** API schemas of discounts: how objects list them in requests and responses, and the discounts of customers. */
import { type Static, Type } from 'typebox'
import { type AttachedDiscount, couponDurations, maxDiscounts } from '../../../kernel/discounts.ts'
import { CreatedAt, IdOf, nullable, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import type { CustomerDiscount, DiscountsOfCustomer, DiscountTerms } from './discount.ts'

const closed = { additionalProperties: false } as const
const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

/** A complete list of discounts in a request. */
export const discountInputs = (description: string) =>
  Type.Array(
    Type.Object(
      {
        coupon_id: Type.Optional(IdOf('coupon', 'Coupon to redeem.')),
        promotion_code: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 50,
            description: 'Promotion code to redeem (case-insensitive). Send either this or `coupon_id`.',
            examples: ['SPRING20'],
          }),
        ),
      },
      closed,
    ),
    { maxItems: maxDiscounts, description },
  )

const termsMembers = {
  id: IdOf('discount'),
  coupon_id: IdOf('coupon'),
  promotion_code_id: nullable(IdOf('promotion_code', 'Promotion code that was redeemed. Null if none was.')),
  name: Type.String({ description: 'Name of the coupon when it was redeemed.', examples: ['Spring offer'] }),
  percent_off: nullable(Type.String({ description: 'Percentage off.', examples: ['20'] })),
  amount_off: nullable(count('Amount off each period, in minor units.', 500)),
  product_ids: nullable(
    Type.Array(IdOf('product'), { description: 'Products that it applies to. Null: all products.' }),
  ),
  duration: OneOf(couponDurations, { description: 'How long it applies.' }),
  periods: nullable(count('Number of periods that it applies to. Null: all.', 3)),
  periods_used: nullable(count('Number of periods that it has applied to. Null if there is no limit.', 1)),
}

export const DiscountObject = Type.Object({
  ...termsMembers,
  in_current_period: Type.Boolean({ description: 'Whether it applies to the current period.' }),
})

function presentTerms(discount: DiscountTerms) {
  return {
    id: discount.id,
    coupon_id: discount.couponId,
    promotion_code_id: discount.promotionCodeId,
    name: discount.name,
    percent_off: discount.percentOff,
    amount_off: discount.amountOff === null ? null : Number(discount.amountOff),
    product_ids: discount.productIds === null ? null : [...discount.productIds],
    duration: discount.duration,
    periods: discount.periods,
    periods_used: discount.periods === null ? null : discount.usedPeriods,
  }
}

export function presentDiscount(discount: AttachedDiscount): Static<typeof DiscountObject> {
  return { ...presentTerms(discount), in_current_period: discount.isInPeriod }
}

export const CustomerDiscountObject = Type.Object(
  {
    ...termsMembers,
    object: Type.Literal('discount'),
    currency: nullable(
      Type.String({
        description:
          'Currency of `amount_off`. The discount applies only to invoices in this currency. Null for a percentage.',
        examples: ['eur'],
        loggable: true,
      }),
    ),
    customer_id: IdOf('customer'),
    created_at: CreatedAt,
    removed_at: nullableWithNullExample({
      ...Time,
      description: 'Time the discount was removed from the customer. Null if it was not.',
    }),
  },
  { $id: 'CustomerDiscount', description: 'A discount of a customer.' },
)

export function presentCustomerDiscount(discount: CustomerDiscount): Static<typeof CustomerDiscountObject> {
  return {
    ...presentTerms(discount),
    object: 'discount',
    currency: discount.currency,
    customer_id: discount.customerId,
    created_at: discount.createdAt.toISOString(),
    removed_at: discount.removedAt?.toISOString() ?? null,
  }
}

export const CustomerDiscounts = Type.Object(
  {
    object: Type.Literal('customer_discounts'),
    customer_id: IdOf('customer'),
    discounts: Type.Array(CustomerDiscountObject, {
      description: 'Discounts of the customer, in the order in which they apply.',
    }),
  },
  { $id: 'CustomerDiscounts', description: 'The discounts of a customer.' },
)

export const CustomerPath = Type.Object({ customer_id: IdOf('customer') })

export const UpdateCustomerDiscounts = Type.Object(
  {
    discounts: discountInputs(
      'The complete list of discounts, in the order in which they apply. A coupon that the customer already has is kept, and not redeemed again. Current periods of subscriptions do not change.',
    ),
  },
  closed,
)
export type UpdateCustomerDiscounts = Static<typeof UpdateCustomerDiscounts>

export function present({ customerId, discounts }: DiscountsOfCustomer): Static<typeof CustomerDiscounts> {
  return {
    object: 'customer_discounts',
    customer_id: customerId,
    discounts: discounts.map(presentCustomerDiscount),
  }
}
