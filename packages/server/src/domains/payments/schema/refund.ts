/** Refunds on the wire. */
import { type Static, Type } from 'typebox'
import { IdOf, Metadata, MetadataChange, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { type Refund, refundReasons } from '../payment.ts'
import { Failure } from './parts.ts'
import { Amount, CurrencyCode, timeOrNull } from './payment.ts'

const reasonText = 'Why it is given back, for your books.'

export const RefundObject = Type.Object(
  {
    id: IdOf('refund'),
    object: Type.Literal('refund'),
    payment_id: IdOf('payment'),
    status: OneOf(['pending', 'succeeded', 'failed'], {
      description: '`pending`: it is on its way, or it is not known yet what became of it.',
      loggable: true,
    }),
    amount: Amount('In the smallest unit of the currency.'),
    currency: CurrencyCode,
    reason: OneOf(refundReasons, { description: reasonText }),
    source: OneOf(['api', 'provider', 'automatic'], {
      description:
        'Who began it: you, the provider, or Switchyard because something was taken that should not have been.',
    }),
    provider_reference: nullable(Type.String({ description: 'What the provider calls it.' })),
    failure: nullable(Failure),
    unresolved_since_at: nullable(
      Type.String({ format: 'date-time', description: 'Set while it is not known what became of it.' }),
    ),
    review: nullable(OneOf(['needs_review'], { description: 'Set while a person has to ask the provider.' })),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Refund', description: 'Money on its way back to a payer, or there already.' },
)

export const RefundPath = Type.Object({ refund_id: IdOf('refund') })

export const CreateRefund = Type.Object(
  {
    payment_id: IdOf('payment'),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999_999,
        description: 'All that is left, if it is not said.',
      }),
    ),
    reason: Type.Optional(OneOf(refundReasons, { description: reasonText })),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)

export function presentRefund(refund: Refund): Static<typeof RefundObject> {
  return {
    id: refund.id,
    object: 'refund',
    payment_id: refund.paymentId,
    status: refund.status,
    amount: Number(refund.amount),
    currency: refund.currency,
    reason: refund.reason,
    source: refund.source,
    provider_reference: refund.providerReference,
    failure: refund.failure,
    unresolved_since_at: timeOrNull(refund.unresolvedSinceAt),
    review: refund.review,
    metadata: { ...refund.metadata },
    created_at: refund.createdAt.toISOString(),
    updated_at: refund.updatedAt.toISOString(),
  }
}
