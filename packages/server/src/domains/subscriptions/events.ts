import { exampleOfSchema } from '../../kernel/example.ts'
import { defineEvent, type EventDefinition } from '../../platform/db/events.ts'
import type { ShownSubscription } from './collection.ts'
import type { Telling } from './plan/scene.ts'
import { present } from './schema/present.ts'
import { Activation, Collection, Pause, SubscriptionObject, Trial } from './schema/subscription.ts'

const told = (verb: Telling, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<ShownSubscription>({
    ...{ type: `subscription.${verb}`, about, schema: SubscriptionObject, present },
    example,
  })

// Beside the examples of the schema, which are those of a subscription that is active and paid.
const [at, until] = ['2026-11-14T12:00:00.000Z', '2026-12-14T12:00:00.000Z']
const paid = { granted: true, reason: 'paid', until_at: until }
const without = (reason: string) => ({ granted: false, reason, until_at: null })
const newborn = { status: 'trialing', anchor: null, current_period: null, latest_invoice_id: null }
const inTrial = {
  ...{ ...newborn, trial: { ...(exampleOfSchema(Trial) as object), end_at: until } },
  access: { granted: true, reason: 'trial', until_at: until },
}
const waiting = {
  ...{ ...newborn, access: { granted: false, reason: 'activation_pending', until_at: until } },
  activation: { ...(exampleOfSchema(Activation) as object), state: 'requires_action' },
}
const owing = (status: string) => ({
  ...{ ...(exampleOfSchema(Collection) as object), status, past_due_since_at: at },
  ...{ overdue_amount: 2999, open_invoices: 1 },
})
const parked = { reason: 'too_many_overdue_periods', at }

export const toldBy: { readonly [T in Telling]: EventDefinition<ShownSubscription> } = {
  created: told('created', 'A subscription was created. It is `trialing`, also without a trial.', {
    object: inTrial,
  }),
  activated: told('activated', 'A subscription is active: it was paid, or does not wait for it.', {
    before: inTrial,
  }),
  activation_required: told(
    'activation_required',
    'The payment that a subscription waits for was declined, or the bank wants to see the customer.',
    { object: waiting },
  ),
  activation_expired: told(
    'activation_expired',
    'Nobody paid in time. What becomes of the subscription is told by another event.',
    { object: { ...newborn, access: { granted: false, reason: 'activation_pending', until_at: null } } },
  ),
  trial_will_end: told('trial_will_end', 'A trial ends in seven days, or in three.', { object: inTrial }),
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
    object: { status: 'paused', pause: exampleOfSchema(Pause), access: without('paused') },
    before: { status: 'active', pause: null, access: paid },
  }),
  resumed: told('resumed', 'A subscription goes on.', {
    before: { status: 'paused', pause: exampleOfSchema(Pause), access: without('paused') },
  }),
  cancel_scheduled: told('cancel_scheduled', 'A subscription will be cancelled at the time it says.', {
    object: { scheduled_change: { action: 'cancel', at: 'period_end', effective_at: until, payload: {} } },
    before: { scheduled_change: null },
  }),
  cancelled: told('cancelled', 'A subscription was cancelled, for good; `cancellation` says why.', {
    object: {
      ...{ status: 'cancelled', current_period: null, cancelled_at: at, ended_at: at },
      ...{ cancellation: { reason: 'requested', feedback: null }, access: without('cancelled') },
    },
    before: { status: 'active', cancellation: null, cancelled_at: null, ended_at: null, access: paid },
  }),
  past_due: told('past_due', 'An invoice of a subscription is overdue. It goes on, and is tried again.', {
    object: {
      collection: { ...owing('past_due'), next_attempt_at: until },
      access: { granted: true, reason: 'grace', until_at: null },
    },
  }),
  recovered: told('recovered', 'All that was overdue is settled.'),
  unpaid: told('unpaid', 'Collecting was given up, and the subscription goes on unpaid.', {
    object: { collection: owing('unpaid'), access: without('unpaid') },
  }),
  parked: told('parked', 'Something is wrong with a subscription: nothing happens to it by itself.', {
    object: { parked },
    before: { parked: null },
  }),
  unparked: told('unparked', 'A subscription that was parked goes on.', {
    before: { parked },
  }),
}

export const subscriptionEvents = Object.values(toldBy)
