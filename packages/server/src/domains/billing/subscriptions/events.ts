import { exampleOfSchema } from '../../../kernel/example.ts'
import { defineEvent, type EventDefinition } from '../../../platform/db/events.ts'
import type { SubscriptionWithAccess } from './collection.ts'
import type { SubscriptionEventName } from './plan/snapshot.ts'
import { present } from './schema/present.ts'
import { Activation, Collection, Pause, SubscriptionObject, Trial } from './schema/subscription.ts'

const defineSubscriptionEvent = (
  verb: SubscriptionEventName,
  about: string,
  example: { object?: object; before?: object } = {},
) =>
  defineEvent<SubscriptionWithAccess>({
    type: `subscription.${verb}`,
    about,
    schema: SubscriptionObject,
    present,
    example,
  })

// Changes to the schema examples, which describe an active, paid subscription.
const [at, until] = ['2026-11-14T12:00:00.000Z', '2026-12-14T12:00:00.000Z']
const accessGranted = { granted: true, reason: 'paid', until_at: until }
const accessDenied = (reason: string) => ({ granted: false, reason, until_at: null })
const notStarted = { status: 'trialing', anchor: null, current_period: null, latest_invoice_id: null }
const inTrial = {
  ...notStarted,
  trial: { ...(exampleOfSchema(Trial) as object), end_at: until },
  access: { granted: true, reason: 'trial', until_at: until },
}
const awaitingPayment = {
  ...notStarted,
  access: { granted: false, reason: 'activation_pending', until_at: until },
  activation: { ...(exampleOfSchema(Activation) as object), state: 'requires_action' },
}
const overdueCollection = (status: string) => ({
  ...(exampleOfSchema(Collection) as object),
  status,
  past_due_since_at: at,
  overdue_amount: 2999,
  open_invoices: 1,
})
const parked = { reason: 'too_many_overdue_periods', at }

export const eventDefinitions: {
  readonly [T in SubscriptionEventName]: EventDefinition<SubscriptionWithAccess>
} = {
  created: defineSubscriptionEvent(
    'created',
    'A subscription was created. Its status is `trialing` until it is activated, even if it has no trial.',
    {
      object: inTrial,
    },
  ),
  activated: defineSubscriptionEvent(
    'activated',
    'A subscription became active. Its first payment succeeded, or its activation does not depend on payment.',
    {
      before: inTrial,
    },
  ),
  activation_required: defineSubscriptionEvent(
    'activation_required',
    'The activation payment of a subscription was declined, or the bank requires authentication.',
    { object: awaitingPayment },
  ),
  activation_expired: defineSubscriptionEvent(
    'activation_expired',
    'The activation payment was not made in time. Another event reports what happens to the subscription.',
    { object: { ...notStarted, access: { granted: false, reason: 'activation_pending', until_at: null } } },
  ),
  trial_will_end: defineSubscriptionEvent('trial_will_end', 'A trial ends in seven days or in three days.', {
    object: inTrial,
  }),
  updated: defineSubscriptionEvent(
    'updated',
    'A subscription was updated. Sent for changes that have no event of their own; `previous` contains the old values.',
    { before: { description: null } },
  ),
  renewed: defineSubscriptionEvent(
    'renewed',
    'A subscription entered its next period. This does not mean that the period is paid; see `invoice.paid`.',
  ),
  paused: defineSubscriptionEvent(
    'paused',
    'A subscription was paused. `pause` contains the reason and the remaining time.',
    {
      object: { status: 'paused', pause: exampleOfSchema(Pause), access: accessDenied('paused') },
      before: { status: 'active', pause: null, access: accessGranted },
    },
  ),
  resumed: defineSubscriptionEvent('resumed', 'A subscription was resumed.', {
    before: { status: 'paused', pause: exampleOfSchema(Pause), access: accessDenied('paused') },
  }),
  cancel_scheduled: defineSubscriptionEvent(
    'cancel_scheduled',
    'The cancellation of a subscription was scheduled. `scheduled_change` says when it takes effect.',
    {
      object: {
        scheduled_change: { action: 'cancel', at: 'period_end', effective_at: until, payload: {} },
      },
      before: { scheduled_change: null },
    },
  ),
  cancelled: defineSubscriptionEvent(
    'cancelled',
    'A subscription was cancelled. `cancellation` contains the reason. This state is final.',
    {
      object: {
        status: 'cancelled',
        current_period: null,
        cancelled_at: at,
        ended_at: at,
        cancellation: { reason: 'requested', feedback: null },
        access: accessDenied('cancelled'),
      },
      before: {
        status: 'active',
        cancellation: null,
        cancelled_at: null,
        ended_at: null,
        access: accessGranted,
      },
    },
  ),
  past_due: defineSubscriptionEvent(
    'past_due',
    'A subscription is past due because an invoice is overdue. It remains active while collection is retried.',
    {
      object: {
        collection: { ...overdueCollection('past_due'), next_attempt_at: until },
        access: { granted: true, reason: 'grace', until_at: null },
      },
    },
  ),
  recovered: defineSubscriptionEvent('recovered', 'All overdue invoices of a subscription are settled.'),
  unpaid: defineSubscriptionEvent(
    'unpaid',
    'Collection was abandoned, and the subscription continues unpaid.',
    {
      object: { collection: overdueCollection('unpaid'), access: accessDenied('unpaid') },
    },
  ),
  parked: defineSubscriptionEvent(
    'parked',
    'A subscription was parked because of an error. Automatic processing is suspended.',
    {
      object: { parked },
      before: { parked: null },
    },
  ),
  unparked: defineSubscriptionEvent(
    'unparked',
    'A parked subscription was unparked, and automatic processing continues.',
    {
      before: { parked },
    },
  ),
}

export const subscriptionEvents = Object.values(eventDefinitions)
