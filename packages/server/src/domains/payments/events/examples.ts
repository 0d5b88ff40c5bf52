/**
 * What the sample of each event of a payment, an attempt or a refund shows beside the examples of its schema, which
 * are those of a payment that succeeded. A sample that contradicts its own type teaches receivers the wrong thing.
 */
import { exampleOfSchema } from '../../../kernel/example.ts'
import { Failure, NextAction } from '../schema/parts.ts'

type Example = { readonly object: object; readonly before?: object }

const at = '2026-11-14T12:00:00.000Z'
const amount = 1299
const failure = exampleOfSchema(Failure) as { readonly code: string; readonly message: string }

const untaken = { amount_captured: 0, amount_capturable: 0 }
const processing = {
  ...{ ...untaken, status: 'processing' },
  summary: 'EUR 12.99 is being asked for from visa ending in 4242.',
}
const authorized = {
  ...{ status: 'requires_capture', capture_method: 'manual', capture_before_at: '2026-11-21T12:00:00.000Z' },
  ...{ amount_captured: 0, amount_capturable: amount },
  summary: 'EUR 12.99 is held on visa ending in 4242 and can be captured.',
}
const unresolved = {
  ...{ ...processing, unresolved_since_at: at },
  summary:
    'It is not known yet whether EUR 12.99 was taken from visa ending in 4242. The provider is being asked; nobody else is meanwhile.',
}
const contradicted = 'What the provider says contradicts what was asked of it. Somebody has to look.'

export const paymentExamples = {
  created: { object: { ...processing, provider_account_id: null, attempts_count: 0 } },
  updated: { object: {}, before: { metadata: {} } },
  requires_action: {
    object: {
      ...{ ...untaken, status: 'requires_action', next_action: exampleOfSchema(NextAction) },
      summary: 'The payer has to confirm the payment with the bank of visa ending in 4242.',
    },
  },
  authorized: { object: authorized },
  captured: {
    object: {
      ...{ ...authorized, amount_captured: 300, amount_capturable: amount - 300 },
      summary: 'EUR 9.99 is held on visa ending in 4242 and can be captured.',
    },
  },
  succeeded: { object: {} },
  failed: {
    object: {
      ...{ ...untaken, status: 'failed', failure, last_error: failure },
      summary: `Nothing was taken from visa ending in 4242: ${failure.code.replaceAll('_', ' ')}. ${failure.message}`,
    },
  },
  cancelled: {
    object: {
      ...{ ...untaken, status: 'cancelled', cancel_requested_at: at },
      summary: 'It was cancelled. Nothing was taken from visa ending in 4242.',
    },
  },
  unresolved: { object: unresolved },
  resolved: { object: {}, before: unresolved },
  needs_review: { object: { ...processing, review: 'needs_review', summary: contradicted } },
  conflict_detected: {
    object: { ...untaken, status: 'cancelled', review: 'conflict', summary: contradicted },
  },
  authorization_expiring: { object: authorized },
} satisfies { readonly [verb: string]: Example }

export const attemptExamples = {
  declined: { object: { status: 'declined', decline_code: failure.code } },
  failed: { object: { status: 'failed' } },
} satisfies { readonly [verb: string]: Example }

export const refundExamples = {
  created: { object: { status: 'pending' } },
  succeeded: { object: { status: 'succeeded' } },
  failed: { object: { status: 'failed', failure } },
  needs_review: { object: { status: 'pending', unresolved_since_at: at, review: 'needs_review' } },
} satisfies { readonly [verb: string]: Example }
