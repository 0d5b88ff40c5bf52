import type { Work } from '../../deps.ts'
import { dueForOwner, dueIn } from '../../platform/db/due.ts'
import { advanceSubscription, advanceSubscriptions } from './service/advance.ts'
import { settleSubscription } from './service/hear.ts'

/** Many, because those of one workspace are advanced together, a hundred to a transaction. */
const advancedAtOnce = 400

export const advanceSubscriptionsWork: Work<'subscription'> = {
  name: 'subscription.advance',
  key: 'subscription',
  onClocks: true,
  hands: advancedAtOnce,
  due: dueIn({
    ...{ work: 'subscription.advance', kind: 'subscription', table: 'subscriptions' },
    ...{ column: 'next_action_at', onClocks: true },
  }),
  handle: advanceSubscription,
  handleMany: advanceSubscriptions,
}

export const settleSubscriptionsWork: Work<'subscription'> = {
  name: 'subscription.settle',
  key: 'subscription',
  onClocks: true,
  due: dueForOwner({
    ...{ work: 'subscription.settle', kind: 'subscription', table: 'invoices' },
    ...{ column: 'subscription_due_at', owner: 'subscription_id', onClocks: true },
  }),
  handle: settleSubscription,
}
