/** The API schema of a subscription. */
import { Type } from 'typebox'
import { currencies } from '../../../../kernel/currency.ts'
import {
  CreatedAt,
  IdOf,
  Metadata,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import { DiscountObject } from '../../discounts/schema.ts'
import { accessReasons } from '../collection.ts'
import { statuses } from '../machine.ts'
import {
  activationPolicies,
  activationStates,
  cancellationReasons,
  collectionStatuses,
  missingMethodBehaviours,
  openInvoiceOptions,
  pauseReasons,
  trialEndBehaviours,
  unusedTimeOptions,
} from '../subscription.ts'

const timeOf = (description: string) =>
  nullable(Type.String({ format: 'date-time', description, examples: ['2026-12-14T12:00:00.000Z'] }))
const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const ItemObject = Type.Object({
  id: IdOf('subscription_item'),
  price_id: IdOf('price'),
  product_id: IdOf('product'),
  quantity: count('Number of units billed.', 3),
  discounts: Type.Array(DiscountObject, {
    description: 'Discounts of the item. They apply before those of the subscription.',
    examples: [[]],
  }),
  metadata: Metadata,
})

const Anchor = Type.Object(
  {
    date: Type.String({ description: 'Date from which periods are counted.', examples: ['2027-01-31'] }),
    day: count('Preferred day of the month. Shorter months use their last day.', 31),
    time: Type.String({ description: 'Time of day at which periods begin.', examples: ['00:00:00'] }),
    time_zone: Type.String({ description: 'Time zone of `date` and `time`.', examples: ['UTC'] }),
    epoch: count('Number of times the anchor was moved, by resuming or by changing the interval.', 0),
  },
  { description: 'Alignment of the billing periods. Null while nothing has been billed.' },
)

const CurrentPeriod = Type.Object(
  {
    index: count('Index of the period since the anchor was last moved, starting at 0.', 3),
    start_at: { ...Time, description: 'Start of the period.' },
    end_at: { ...Time, description: 'End of the period.' },
    nominal_start_at: Type.String({
      format: 'date-time',
      description:
        'One full interval before `end_at`. Prorations are based on the time from here to `end_at`.',
      examples: ['2026-11-14T12:00:00.000Z'],
    }),
    invoice_id: IdOf('invoice', 'Invoice that bills this period.'),
  },
  { description: 'Current billing period. Null during a trial and when no period remains.' },
)

export const Trial = Type.Object(
  {
    start_at: { ...Time, description: 'Start of the trial.' },
    end_at: { ...Time, description: 'End of the trial.' },
    end_behaviour: OneOf(trialEndBehaviours, { description: 'What happens when the trial ends.' }),
    missing_payment_method: OneOf(missingMethodBehaviours, {
      description: 'What happens when the trial ends and there is no payment method to charge.',
    }),
  },
  { description: 'Free trial. Null if there is none.' },
)

const Decline = Type.Object({
  code: Type.String({
    description: 'Decline code that states the reason.',
    examples: ['insufficient_funds'],
  }),
  advice_code: nullable(
    Type.String({
      description: 'Recommended next step for the payer. Null if there is none.',
      examples: ['other_method'],
    }),
  ),
  message: Type.String({
    description: 'Message that can be shown to the payer.',
    examples: ['Use another card.'],
  }),
})

const policyText =
  '`on_payment`: the subscription becomes active once its payment succeeds. `on_attempt`: it becomes active as soon as the payment is attempted.'

export const Activation = Type.Object(
  {
    purpose: OneOf(['start', 'resume'], {
      description: 'Whether the payment starts or resumes the subscription.',
    }),
    policy: OneOf(activationPolicies, { description: policyText }),
    state: OneOf(activationStates, {
      description: '`requires_action`: the payment failed, and the customer must act.',
    }),
    invoice_id: nullable(IdOf('invoice')),
    payment_id: nullable(IdOf('payment')),
    expires_at: timeOf('Deadline for the payment. Null if there is none.'),
    last_decline: nullable({
      ...Decline,
      description: 'Why the last payment attempt failed. Null if there was no failure.',
    }),
  },
  {
    description: 'Payment that starts or resumes the subscription. Null if there is none.',
  },
)

export const Pause = Type.Object(
  {
    reason: OneOf(pauseReasons, { description: 'Why the subscription is paused.' }),
    paused_at: { ...Time, description: 'Time the subscription was paused.' },
    resumes_at: timeOf('Time of automatic resumption. Null if it does not resume automatically.'),
    open_invoices: OneOf(openInvoiceOptions, { description: 'What happens to invoices that were open.' }),
    unused_time: OneOf(unusedTimeOptions, { description: 'What happens to the rest of the period.' }),
    remaining_seconds: count(
      'Seconds remaining in the trial or period. When the subscription resumes, the trial or period continues for this long.',
      1814400,
    ),
  },
  { description: 'Details of the pause. Null if the subscription is not paused.' },
)

export const Scheduled = Type.Object(
  {
    action: OneOf(['cancel', 'pause', 'update'], { description: 'Action that will be taken.' }),
    at: Type.String({ description: '`period_end` or a timestamp.', examples: ['period_end'] }),
    effective_at: timeOf(
      'Time the change takes effect. Null while the subscription is paused, because the time is not known.',
    ),
    payload: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Parameters of the action, including defaults.',
    }),
  },
  { description: 'Change scheduled for later. There is at most one. Null if there is none.' },
)

export const Collection = Type.Object(
  {
    status: OneOf(collectionStatuses, {
      description:
        '`current`: nothing is overdue. `past_due`: an invoice is overdue, and collection is retried. `unpaid`: collection was abandoned.',
      loggable: true,
    }),
    past_due_since_at: nullableWithNullExample({
      ...Time,
      description: 'Time at which the oldest overdue invoice became overdue. Null if none is overdue.',
    }),
    overdue_amount: count('Overdue amount in minor units.', 0),
    open_invoices: count('Number of open invoices.', 0),
    next_attempt_at: nullableWithNullExample({
      ...Time,
      description: 'Time of the next collection attempt. Null if none is scheduled.',
    }),
    campaign_id: nullableWithNullExample(IdOf('dunning_campaign')),
    final_action: nullableWithNullExample(
      Type.String({
        description:
          'What happens to the subscription if every retry fails. Null if no dunning campaign is running.',
        examples: ['pause'],
      }),
    ),
    final_action_at: nullableWithNullExample({
      ...Time,
      description: 'Time collection will be abandoned. Null if no dunning campaign is running.',
    }),
  },
  { description: 'Collection status of the invoices. It does not change `status` directly.' },
)

export const AccessShape = Type.Object(
  {
    granted: Type.Boolean({
      description: 'Whether to give the customer access to your service.',
      examples: [true],
      loggable: true,
    }),
    reason: OneOf(accessReasons, {
      description: 'Why access is or is not granted.',
      examples: ['paid'],
      loggable: true,
    }),
    until_at: timeOf(
      'Time until which access is granted, as far as is known. Null if there is no known end.',
    ),
  },
  {
    description: 'Whether the customer has access to what they subscribed to. Use this to gate your service.',
  },
)

const members = {
  id: IdOf('subscription'),
  object: Type.Literal('subscription'),
  status: OneOf(statuses, {
    description:
      'Lifecycle status. A new subscription is `trialing` until it is activated, even if it has no trial.',
    loggable: true,
    examples: ['active'],
  }),
  customer_id: IdOf('customer'),
  payment_method_id: nullable(
    IdOf('payment_method', 'Payment method that is charged. Null if there is none.'),
  ),
  payment_route_id: nullable(
    IdOf('payment_route', 'Route that selects the provider account. Null: the default route.'),
  ),
  dunning_policy_id: nullable(IdOf('dunning_policy')),
  checkout_session_id: nullableWithNullExample(
    IdOf('checkout_session', 'Checkout session that sold the subscription. Null if there is none.'),
  ),
  currency: OneOf(currencies, {
    description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
    examples: ['eur'],
    loggable: true,
  }),
  interval: Type.Object(
    {
      unit: OneOf(['day', 'week', 'month', 'year'], { description: 'Unit of the billing interval.' }),
      count: count('Number of units in a billing period.', 1),
    },
    { description: 'Billing interval. It is the interval of the prices of the items.' },
  ),
  description: nullable(Type.String({ description: 'Internal note.', examples: ['Team plan'] })),
  items: Type.Array(ItemObject, { description: 'Items to bill.' }),
  discounts: Type.Array(DiscountObject, {
    description:
      'Discounts of the subscription, in the order in which they apply. Those of items apply before, and those of the customer after them.',
    examples: [[]],
  }),
  anchor: nullableWithExample(Anchor),
  current_period: nullableWithExample(CurrentPeriod),
  trial: nullable(Trial),
  activation: nullable(Activation),
  activation_policy: OneOf(activationPolicies, { description: policyText }),
  pause: nullable(Pause),
  scheduled_change: nullable(Scheduled),
  collection: Collection,
  access: AccessShape,
  cancellation: nullable(
    Type.Object(
      {
        reason: OneOf(cancellationReasons, { description: 'Why the subscription was cancelled.' }),
        feedback: nullable(
          Type.String({
            description: 'Cancellation reason given by the customer or by you. Null if there is none.',
          }),
        ),
      },
      { description: 'Details of the cancellation. Null if the subscription is not cancelled.' },
    ),
  ),
  latest_invoice_id: nullable(IdOf('invoice', 'Most recent invoice. Null if there is none.')),
  parked: nullable(
    Type.Object(
      {
        reason: Type.String({
          description: 'Why the subscription was parked.',
          examples: ['too_many_overdue_periods'],
        }),
        at: { ...Time, description: 'Time of the error.' },
      },
      {
        description:
          'Set if an error occurred. Automatic processing is suspended until the subscription is unparked. Null otherwise.',
      },
    ),
  ),
  test_clock_id: nullableWithNullExample(IdOf('test_clock')),
  metadata: Metadata,
  started_at: { ...Time, description: 'Start time of the subscription.' },
  cancelled_at: nullableWithNullExample({
    ...Time,
    description: 'Time the subscription was cancelled. Null if it is not cancelled.',
  }),
  ended_at: nullableWithNullExample({
    ...Time,
    description: 'Time the subscription ended. Null if it has not ended.',
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const SubscriptionObject = Type.Object(members, {
  $id: 'Subscription',
  description: 'A recurring charge to a customer, with its billing periods, collection status and access.',
})
export const SubscriptionPath = Type.Object({ subscription_id: IdOf('subscription') })
