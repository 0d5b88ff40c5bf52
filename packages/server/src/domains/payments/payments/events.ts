import { defineEvent } from '../../../platform/db/events.ts'
import { attemptExamples, paymentExamples, refundExamples } from './events/examples.ts'
import type { Attempt, Payment } from './payment.ts'
import type { Refund } from './refund.ts'
import { AttemptObject, PaymentObject, present, presentAttempt } from './schema/payment.ts'
import { presentRefund, RefundObject } from './schema/refund.ts'

const payment = (verb: keyof typeof paymentExamples, about: string) =>
  defineEvent<Payment>({
    type: `payment.${verb}`,
    about,
    schema: PaymentObject,
    present,
    example: paymentExamples[verb],
  })

export const paymentCreated = payment('created', 'A payment was created. No provider has been called yet.')
export const paymentUpdated = payment(
  'updated',
  'A payment was updated. Sent for changes that have no event of their own; `previous` contains the old values.',
)
export const paymentRequiresAction = payment(
  'requires_action',
  'The payer must complete an action, such as 3-D Secure. Redirect them to the URL in `next_action`.',
)
export const paymentAuthorized = payment('authorized', 'The amount is authorized and can be captured.')
export const paymentCaptured = payment(
  'captured',
  'Part of the authorized amount was captured. The rest can still be captured.',
)
export const paymentSucceeded = payment(
  'succeeded',
  'The payment was captured, or the card was verified. This state is final.',
)
export const paymentFailed = payment(
  'failed',
  'The payment failed. Nothing was charged and nothing is authorized. This state is final.',
)
export const paymentCancelled = payment(
  'cancelled',
  'The payment was cancelled. Nothing was charged and nothing is authorized. This state is final.',
)
export const paymentUnresolved = payment(
  'unresolved',
  'The outcome has been unknown for ten seconds. No other provider is tried while it is unknown. Do not create another payment for the same order.',
)
export const paymentResolved = payment('resolved', 'An unknown outcome has become known.')
export const paymentNeedsReview = payment(
  'needs_review',
  'The outcome has been unknown for a week, or the provider reported something that contradicts the request. The payment needs manual review.',
)
export const paymentConflictDetected = payment(
  'conflict_detected',
  'A provider reported a success or a failure that contradicts the recorded, final outcome of an operation. The recorded outcome was not changed. The payment needs manual review.',
)

export const paymentAuthorizationExpiring = payment(
  'authorization_expiring',
  'The authorization expires in 24 hours. Capture the payment before then.',
)

export const paymentReversed = payment(
  'reversed',
  'The bank has returned a debit that it had confirmed. `amount_reversed` was returned to the payer. If the payment had paid an invoice, the invoice is open again.',
)

const attempt = (verb: keyof typeof attemptExamples, about: string) =>
  defineEvent<Attempt>({
    type: `payment_attempt.${verb}`,
    about,
    schema: AttemptObject,
    present: presentAttempt,
    example: attemptExamples[verb],
  })

export const attemptDeclined = attempt(
  'declined',
  'A provider declined the payment. The payment may continue with another provider account.',
)
export const attemptFailed = attempt(
  'failed',
  'A provider could not be reached or rejected the request. The payment may continue with another provider account.',
)

const refund = (verb: keyof typeof refundExamples, about: string) =>
  defineEvent<Refund>({
    type: `refund.${verb}`,
    about,
    schema: RefundObject,
    present: presentRefund,
    example: refundExamples[verb],
  })

export const refundCreated = refund('created', 'A refund was created. The provider has not been called yet.')
export const refundSucceeded = refund('succeeded', 'The refund succeeded. This state is final.')
export const refundFailed = refund(
  'failed',
  'The refund failed, and the money was not returned. This state is final.',
)

export const refundNeedsReview = refund(
  'needs_review',
  'The outcome of the refund has been unknown for a week, or the provider reported a different amount. The refund needs manual review.',
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
  paymentReversed,
  attemptDeclined,
  attemptFailed,
  refundCreated,
  refundSucceeded,
  refundFailed,
  refundNeedsReview,
]
