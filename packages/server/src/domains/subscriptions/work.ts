import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { advanceSubscription, advanceSubscriptions } from './service/advance.ts'
import { settleSubscription } from './service/hear.ts'
import { dueForSettling } from './store/due.ts'

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
  due: (db, now, limit) => dueForSettling(db, 'subscription.settle', now, limit),
  handle: settleSubscription,
}
