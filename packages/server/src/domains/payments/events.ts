import { defineEvent } from '../../platform/db/events.ts'
import type { Attempt, Payment, Refund } from './payment.ts'
import { AttemptObject, PaymentObject, present, presentAttempt } from './schema/payment.ts'
import { presentRefund, RefundObject } from './schema/refund.ts'

const payment = (type: `payment.${string}`, about: string) =>
  defineEvent<Payment>({ type, about, schema: PaymentObject, present })

export const paymentCreated = payment(
  'payment.created',
  'A payment was created; a provider is about to be asked.',
)
export const paymentUpdated = payment(
  'payment.updated',
  'Something about a payment changed that has no event of its own; `previous` holds what it was.',
)
export const paymentRequiresAction = payment(
  'payment.requires_action',
  'The payer has to do something, at the address in `next_action`.',
)
export const paymentAuthorized = payment('payment.authorized', 'The amount is held and can be captured.')
export const paymentCaptured = payment('payment.captured', 'A part of the amount was captured; more can be.')
export const paymentSucceeded = payment(
  'payment.succeeded',
  'The money was taken, or the card verified. It is final.',
)
export const paymentFailed = payment('payment.failed', 'Nothing was taken and nothing is held. It is final.')
export const paymentCancelled = payment(
  'payment.cancelled',
  'It was cancelled; nothing was taken and nothing is held. It is final.',
)
export const paymentUnresolved = payment(
  'payment.unresolved',
  'For ten seconds it has not been known what became of it. Nobody else is asked meanwhile; do not pay again.',
)
export const paymentResolved = payment('payment.resolved', 'What was not known is known again.')
export const paymentNeedsReview = payment(
  'payment.needs_review',
  'What the provider says contradicts what was asked of it. A person has to look.',
)
export const paymentConflictDetected = payment(
  'payment.conflict_detected',
  'A provider says that it took money for something that ended long ago. Nothing was overwritten; a person has to decide.',
)

export const paymentAuthorizationExpiring = payment(
  'payment.authorization_expiring',
  'What is held is let go in 24 hours unless it is captured before.',
)

const attempt = (type: `payment_attempt.${string}`, about: string) =>
  defineEvent<Attempt>({ type, about, schema: AttemptObject, present: presentAttempt })

export const attemptDeclined = attempt(
  'payment_attempt.declined',
  'A provider declined. The payment may go on with another account.',
)
export const attemptFailed = attempt(
  'payment_attempt.failed',
  'A provider could not be reached or refused to act. The payment may go on with another account.',
)

const refund = (type: `refund.${string}`, about: string) =>
  defineEvent<Refund>({ type, about, schema: RefundObject, present: presentRefund })

export const refundCreated = refund(
  'refund.created',
  'A refund was created; the provider is about to be asked.',
)
export const refundSucceeded = refund('refund.succeeded', 'The money is on its way back. It is final.')
export const refundFailed = refund('refund.failed', 'The money was not given back. It is final.')

export const refundNeedsReview = refund(
  'refund.needs_review',
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
