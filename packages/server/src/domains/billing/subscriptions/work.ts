import type { WorkType } from '../../../deps.ts'
import { dueForOwner, dueIn } from '../../../platform/db/due.ts'
import { advanceSubscription, advanceSubscriptions } from './service/advance.ts'
import { processInvoiceResults } from './service/apply-invoice-results.ts'
import { billUsage } from './service/bill-usage.ts'

/** High, because the subscriptions of one workspace are advanced together, a hundred per transaction. */
const maxConcurrentAdvances = 400

export const advanceSubscriptionsWork: WorkType<'subscription'> = {
  name: 'subscription.advance',
  objectKind: 'subscription',
  onTestClocks: true,
  concurrency: maxConcurrentAdvances,
  due: dueIn({
    work: 'subscription.advance',
    kind: 'subscription',
    table: 'subscriptions',
    column: 'next_action_at',
    onTestClocks: true,
  }),
  handle: advanceSubscription,
  handleMany: advanceSubscriptions,
}

export const applyInvoiceResultsWork: WorkType<'subscription'> = {
  name: 'subscription.settle',
  objectKind: 'subscription',
  onTestClocks: true,
  due: dueForOwner({
    work: 'subscription.settle',
    kind: 'subscription',
    table: 'invoices',
    column: 'subscription_due_at',
    owner: 'subscription_id',
    onTestClocks: true,
  }),
  handle: processInvoiceResults,
}

export const billUsageWork: WorkType<'subscription'> = {
  name: 'subscription.bill_usage',
  objectKind: 'subscription',
  onTestClocks: true,
  due: dueForOwner({
    work: 'subscription.bill_usage',
    kind: 'subscription',
    table: 'usage_periods',
    column: 'due_at',
    owner: 'subscription_id',
    onTestClocks: true,
  }),
  handle: billUsage,
}
