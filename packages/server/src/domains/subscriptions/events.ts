import { defineEvent, type EventDefinition } from '../../platform/db/events.ts'
import type { ShownSubscription } from './collection.ts'
import type { Telling } from './plan/scene.ts'
import { present } from './schema/present.ts'
import { SubscriptionObject } from './schema/subscription.ts'

const told = (verb: Telling, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<ShownSubscription>({
    ...{ type: `subscription.${verb}`, about, schema: SubscriptionObject, present },
    example: { ...example, object: { ...usual, ...example.object } },
  })

/** What most of them do not have. */
const usual = {
  ...{ status: 'active', trial: null, activation: null, pause: null, scheduled_change: null },
  ...{ cancellation: null, parked: null, cancelled_at: null, ended_at: null, test_clock_id: null },
}
const cancellation = (reason: string) => ({ reason, feedback: null })
const newborn = { status: 'trialing', anchor: null, current_period: null, latest_invoice_id: null }

export const toldBy: { readonly [T in Telling]: EventDefinition<ShownSubscription> } = {
  created: told('created', 'A subscription was created. It is `trialing`, also without a trial.', {
    object: newborn,
  }),
  activated: told('activated', 'A subscription is active: it was paid, or does not wait for it.', {
    before: { status: 'trialing' },
  }),
  activation_required: told(
    'activation_required',
    'The payment that a subscription waits for was declined, or the bank wants to see the customer.',
    { object: { status: 'trialing' } },
  ),
  activation_expired: told(
    'activation_expired',
    'Nobody paid in time. What becomes of the subscription is told by another event.',
    { object: newborn },
  ),
  trial_will_end: told('trial_will_end', 'A trial ends in seven days, or in three.', { object: newborn }),
  updated: told(
    'updated',
    'Something about a subscription changed that has no event of its own; `previous` holds what it was.',
    { before: { description: null } },
  ),
  renewed: told(
    'renewed',
    'A subscription entered its next period. It speaks of time: that money came is told by `invoice.paid`.',
  ),
  paused: told('paused', 'A subscription was paused; `pause` says why, and what is left.', {
    ...{ object: { status: 'paused' }, before: { status: 'active', pause: null } },
  }),
  resumed: told('resumed', 'A subscription goes on.', { before: { status: 'paused' } }),
  cancel_scheduled: told('cancel_scheduled', 'A subscription will be cancelled at the time it says.'),
  cancelled: told('cancelled', 'A subscription was cancelled, for good; `cancellation` says why.', {
    object: { status: 'cancelled', current_period: null, cancellation: cancellation('requested') },
    before: { status: 'active', cancellation: null },
  }),
  past_due: told('past_due', 'An invoice of a subscription is overdue. It goes on, and is tried again.'),
  recovered: told('recovered', 'All that was overdue is settled.'),
  unpaid: told('unpaid', 'Collecting was given up, and the subscription goes on unpaid.'),
  parked: told('parked', 'Something is wrong with a subscription: nothing happens to it by itself.'),
  unparked: told('unparked', 'A subscription that was parked goes on.'),
}

export const subscriptionEvents = Object.values(toldBy)
