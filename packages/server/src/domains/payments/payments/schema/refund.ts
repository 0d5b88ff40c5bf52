/** API schemas of refunds. */
import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  OneOf,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import { type Refund, refundReasons } from '../refund.ts'
import { Failure } from './parts.ts'
import { Amount, CurrencyCode, timeOrNull } from './payment.ts'

const reasonText = 'Reason for the refund, for your records.'

export const RefundObject = Type.Object(
  {
    id: IdOf('refund'),
    object: Type.Literal('refund'),
    payment_id: IdOf('payment'),
    status: OneOf(['pending', 'succeeded', 'failed'], {
      description: '`pending`: the refund is in progress, or its outcome is not known yet.',
      loggable: true,
    }),
    amount: Amount('Amount in minor units, e.g. 1299 for €12.99.'),
    currency: CurrencyCode,
    reason: OneOf(refundReasons, { description: reasonText }),
    source: OneOf(['api', 'provider', 'automatic'], {
      description:
        'Who initiated the refund: you, the provider, or Switchyard because a charge should not have been made.',
    }),
    provider_reference: nullable(
      Type.String({ description: 'ID assigned by the provider. Null if it is not known.' }),
    ),
    failure: nullable(Failure),
    unresolved_since_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'Time the outcome became unknown. Null if it is known.',
      }),
    ),
    review: nullable(
      OneOf(['needs_review'], { description: 'Set if the refund needs manual review. Null otherwise.' }),
    ),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'Refund', description: 'A full or partial refund of a payment.' },
)

export const RefundPath = Type.Object({ refund_id: IdOf('refund') })

export const CreateRefund = Type.Object(
  {
    payment_id: IdOf('payment'),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999_999,
        description: 'Amount in minor units. Default: the amount that has not been refunded yet.',
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
