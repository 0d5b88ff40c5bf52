/** What may be asked of payments that are there. */
import { Type } from 'typebox'
import { MetadataChange, nullable, OneOf } from '../../../kernel/shapes.ts'
import { paymentStatuses } from '../payment.ts'

export const CapturePayment = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999_999,
        description: 'All that is held, if it is not said.',
      }),
    ),
    final: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether what is not captured is let go.' }),
    ),
  },
  { additionalProperties: false },
)

export const UpdatePayment = Type.Object(
  {
    description: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 5000, description: 'A note of yours.' })),
    ),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)

/** One of them at a time: each has an index of its own. */
export const ListPayments = {
  customer_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only those of this customer.' })),
  order_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only those for this order of yours.' }),
  ),
  review: Type.Optional(
    OneOf(['needs_review', 'conflict'], { description: 'Only those that a person has to look at.' }),
  ),
  status: Type.Optional(OneOf(paymentStatuses, { description: 'Only those in this state.' })),
  payment_link_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only those that were made by this link.' }),
  ),
}

export const ListRefunds = {
  payment_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only those of this payment.' })),
}
