/**
 * Sample data of the payment, attempt and refund events. Each sample lists only what differs from the schema
 * example, which shows a successful payment. A sample must not contradict its event type.
 */
import { exampleOfSchema } from '../../../../kernel/example.ts'
import { DebitDetails } from '../../../../kernel/shapes.ts'
import { Failure, NextAction, Reversal } from '../schema/parts.ts'

type Example = { readonly object: object; readonly before?: object }

const timestamp = '2026-11-14T12:00:00.000Z'
const amount = 1299
const failure = exampleOfSchema(Failure) as { readonly code: string; readonly message: string }

const nothingCaptured = { amount_captured: 0, amount_capturable: 0 }
const processing = {
  ...nothingCaptured,
  status: 'processing',
  summary: 'Authorizing €12.99 on Visa •••• 4242.',
}
const authorized = {
  status: 'requires_capture',
  capture_method: 'manual',
  capture_before_at: '2026-11-21T12:00:00.000Z',
  amount_captured: 0,
  amount_capturable: amount,
  summary: '€12.99 authorized on Visa •••• 4242, ready to capture.',
}
const unresolved = {
  ...processing,
  unresolved_since_at: timestamp,
  summary:
    'Outcome unknown: checking with the provider whether €12.99 was charged to Visa •••• 4242. No other provider is tried in the meantime.',
}
const contradicted = "The provider's report contradicts the request. An admin must confirm what happened."
const conflicting =
  "The provider's report contradicts the recorded outcome. An admin must confirm what happened."

export const paymentExamples = {
  created: { object: { ...processing, provider_account_id: null, attempts_count: 0 } },
  updated: { object: {}, before: { metadata: {} } },
  requires_action: {
    object: {
      ...nothingCaptured,
      status: 'requires_action',
      next_action: exampleOfSchema(NextAction),
      summary: 'Waiting for the payer to authenticate Visa •••• 4242 with their bank.',
    },
  },
  authorized: { object: authorized },
  captured: {
    object: {
      ...authorized,
      amount_captured: 300,
      amount_capturable: amount - 300,
      summary: '€9.99 authorized on Visa •••• 4242, ready to capture.',
    },
  },
  succeeded: { object: {} },
  failed: {
    object: {
      ...nothingCaptured,
      status: 'failed',
      failure,
      last_error: failure,
      summary: `Payment failed: ${failure.code.replaceAll('_', ' ')}. ${failure.message}`,
    },
  },
  cancelled: {
    object: {
      ...nothingCaptured,
      status: 'cancelled',
      cancel_requested_at: timestamp,
      summary: 'Payment cancelled. Nothing was charged to Visa •••• 4242.',
    },
  },
  unresolved: { object: unresolved },
  resolved: { object: {}, before: unresolved },
  needs_review: { object: { ...processing, review: 'needs_review', summary: contradicted } },
  conflict_detected: {
    object: { ...nothingCaptured, status: 'cancelled', review: 'conflict', summary: conflicting },
  },
  authorization_expiring: { object: authorized },
  reversed: {
    object: {
      payment_method_type: 'sepa_debit',
      card: null,
      sepa_debit: exampleOfSchema(DebitDetails),
      settlement: {
        status: 'settled',
        expected_at: '2026-11-12T12:00:00.000Z',
        settled_at: '2026-10-30T12:00:00.000Z',
      },
      amount_reversed: amount,
      reversal: exampleOfSchema(Reversal),
      summary: '€12.99 charged to SEPA debit •••• 3000. The bank returned €12.99 to the payer (MD06).',
    },
    before: { amount_reversed: 0, reversal: null },
  },
} satisfies { readonly [verb: string]: Example }

export const attemptExamples = {
  declined: { object: { status: 'declined', decline_code: failure.code } },
  failed: { object: { status: 'failed' } },
} satisfies { readonly [verb: string]: Example }

export const refundExamples = {
  created: { object: { status: 'pending' } },
  succeeded: { object: { status: 'succeeded' } },
  failed: { object: { status: 'failed', failure } },
  needs_review: { object: { status: 'pending', unresolved_since_at: timestamp, review: 'needs_review' } },
} satisfies { readonly [verb: string]: Example }
