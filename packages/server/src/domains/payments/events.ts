import { defineEvent } from '../../platform/db/events.ts'
import { attemptExamples, paymentExamples, refundExamples } from './events/examples.ts'
import type { Attempt, Payment, Refund } from './payment.ts'
import { AttemptObject, PaymentObject, present, presentAttempt } from './schema/payment.ts'
import { presentRefund, RefundObject } from './schema/refund.ts'

const payment = (verb: keyof typeof paymentExamples, about: string) =>
  defineEvent<Payment>({
    ...{ type: `payment.${verb}`, about, schema: PaymentObject, present },
    example: paymentExamples[verb],
  })

export const paymentCreated = payment('created', 'A payment was created; a provider is about to be asked.')
export const paymentUpdated = payment(
  'updated',
  'Something about a payment changed that has no event of its own; `previous` holds what it was.',
)
export const paymentRequiresAction = payment(
  'requires_action',
  'The payer has to do something, at the address in `next_action`.',
)
export const paymentAuthorized = payment('authorized', 'The amount is held and can be captured.')
export const paymentCaptured = payment('captured', 'A part of the amount was captured; more can be.')
export const paymentSucceeded = payment('succeeded', 'The money was taken or the card verified. It is final.')
export const paymentFailed = payment('failed', 'Nothing was taken and nothing is held. It is final.')
export const paymentCancelled = payment(
  'cancelled',
  'It was cancelled; nothing was taken and nothing is held. It is final.',
)
export const paymentUnresolved = payment(
  'unresolved',
  'For ten seconds it has not been known what became of it. Nobody else is asked meanwhile; do not pay again.',
)
export const paymentResolved = payment('resolved', 'What was not known is known again.')
export const paymentNeedsReview = payment(
  'needs_review',
  'What the provider says contradicts what was asked of it. A person has to look.',
)
export const paymentConflictDetected = payment(
  'conflict_detected',
  'A provider says that it took money for something that ended long ago. Nothing was overwritten; a person has to decide.',
)

export const paymentAuthorizationExpiring = payment(
  'authorization_expiring',
  'What is held is let go in 24 hours unless it is captured before.',
)

const attempt = (verb: keyof typeof attemptExamples, about: string) =>
  defineEvent<Attempt>({
    ...{ type: `payment_attempt.${verb}`, about, schema: AttemptObject, present: presentAttempt },
    example: attemptExamples[verb],
  })

export const attemptDeclined = attempt(
  'declined',
  'A provider declined. The payment may go on with another account.',
)
export const attemptFailed = attempt(
  'failed',
  'A provider could not be reached or refused to act. The payment may go on with another account.',
)

const refund = (verb: keyof typeof refundExamples, about: string) =>
  defineEvent<Refund>({
    ...{ type: `refund.${verb}`, about, schema: RefundObject, present: presentRefund },
    example: refundExamples[verb],
  })

export const refundCreated = refund('created', 'A refund was created; the provider is about to be asked.')
export const refundSucceeded = refund('succeeded', 'The money is on its way back. It is final.')
export const refundFailed = refund('failed', 'The money was not given back. It is final.')

export const refundNeedsReview = refund(
  'needs_review',
  'For a week the provider has not told what became of it, or it says that it gave back something else. A person has to look.',
)

export const paymentEvents = [
  paymentCreated,
  paymentUpdated,
  paymentRequiresAction,
  paymentAuthorized,
  paymentCaptured,
  paymentSucceeded,
  paymentFailed,
  paymentCancelled,
  paymentUnresolved,
  paymentResolved,
  paymentNeedsReview,
  paymentConflictDetected,
  paymentAuthorizationExpiring,
  attemptDeclined,
  attemptFailed,
  refundCreated,
  refundSucceeded,
  refundFailed,
  refundNeedsReview,
]
