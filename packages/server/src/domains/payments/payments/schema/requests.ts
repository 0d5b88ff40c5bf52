/** Schemas of the requests on existing payments, and of list filters. */
import { Type } from 'typebox'
import { MetadataChange, nullable, OneOf } from '../../../../kernel/shapes.ts'
import { paymentStatuses } from '../payment.ts'

export const CapturePayment = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999_999,
        description: 'Amount in minor units. Default: the full authorized amount.',
      }),
    ),
    final: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the amount that is not captured is voided. Must be true for part of the amount if the provider account does not have the `multi_capture` capability.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const UpdatePayment = Type.Object(
  {
    description: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 5000, description: 'Free-text description.' })),
    ),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)

/** At most one filter can be used, because each filter has its own index. */
export const ListPayments = {
  customer_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only payments of this customer.' })),
  order_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only payments with this order number.' }),
  ),
  review: Type.Optional(
    OneOf(['needs_review', 'conflict'], { description: 'Only payments that need manual review.' }),
  ),
  status: Type.Optional(OneOf(paymentStatuses, { description: 'Only payments with this status.' })),
  payment_link_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only payments made through this payment link.' }),
  ),
}

export const ListRefunds = {
  payment_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only refunds of this payment.' })),
}
