/**
 * The members in which the example of each invoice event differs from the schema examples, which describe an open
 * invoice without a collection attempt.
 */
import { exampleOfSchema } from '../../../../kernel/example.ts'
import { IdOf } from '../../../../kernel/shapes.ts'
import { FailureShape } from '../schema.ts'

type Example = { readonly object: object; readonly before?: object }

const at = '2026-11-14T12:00:00.000Z'
const total = 2999
const failed = { attempt_count: 1, last_failure: exampleOfSchema(FailureShape) }
const failedWithRetry = {
  ...failed,
  overdue: true,
  next_attempt_at: '2026-11-15T09:00:00.000Z',
  campaign_id: exampleOfSchema(IdOf('dunning_campaign')),
}

const sentToCustomer = {
  reason: 'one_off',
  subscription_id: null,
  period: null,
  collection_method: 'send_invoice',
  terms: { days: 14 },
  next_reminder_at: '2026-11-25T09:00:00.000Z',
}

export const invoiceExamples = {
  created: { object: { status: 'draft', number: null, due_at: null, finalized_at: null } },
  updated: { object: {}, before: { payment_method_id: null } },
  finalized: { object: {}, before: { status: 'draft', number: null, due_at: null, finalized_at: null } },
  paid: {
    object: {
      status: 'paid',
      amount_paid: total,
      amount_remaining: 0,
      attempt_count: 1,
      paid_at: at,
      payment_id: exampleOfSchema(IdOf('payment')),
    },
  },
  payment_failed: { object: failedWithRetry },
  payment_action_required: { object: { ...failed, overdue: true } },
  overdue: { object: failedWithRetry, before: { overdue: false } },
  sent: {
    object: { ...sentToCustomer, sent_at: at },
    before: { sent_at: null },
  },
  reminder_due: {
    object: { ...sentToCustomer, sent_at: at, overdue: true, reminder_count: 2 },
    before: { reminder_count: 1 },
  },
  voided: {
    object: { status: 'void', amount_remaining: 0, voided_at: at, void_reason: 'requested' },
    before: { status: 'open', amount_remaining: total, voided_at: null, void_reason: null },
  },
  marked_uncollectible: {
    object: { ...failed, status: 'uncollectible', marked_uncollectible_at: at },
    before: { status: 'open', marked_uncollectible_at: null },
  },
} satisfies { readonly [verb: string]: Example }
