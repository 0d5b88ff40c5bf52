/** A subscription on the wire. */
import { Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { IdOf, Metadata, mostlyNull, nullable, OneOf, shownNullable, Time } from '../../../kernel/shapes.ts'
import { accessReasons } from '../collection.ts'
import { statuses } from '../machine.ts'
import {
  activationPolicies,
  activationStates,
  cancellationReasons,
  collectionStatuses,
  endBehaviours,
  missingMethodBehaviours,
  openInvoiceChoices,
  pauseReasons,
  unusedTimes,
} from '../subscription.ts'

const timeOf = (description: string) =>
  nullable(Type.String({ format: 'date-time', description, examples: ['2026-12-14T12:00:00.000Z'] }))
const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const ItemObject = Type.Object({
  id: IdOf('subscription_item'),
  price_id: IdOf('price'),
  product_id: IdOf('product'),
  quantity: count('How many units are billed.', 3),
  metadata: Metadata,
})

const Anchor = Type.Object(
  {
    date: Type.String({ description: 'The date that periods are counted from.', examples: ['2027-01-31'] }),
    day: count('The day of the month that is wanted. A month that is shorter ends it on its last day.', 31),
    time: Type.String({ description: 'The time of day at which periods begin.', examples: ['00:00:00'] }),
    time_zone: Type.String({ description: 'Where that date and time are.', examples: ['UTC'] }),
    epoch: count('How often the anchor was moved: by resuming, or by another interval.', 0),
  },
  { description: 'Where its periods begin. Null while nothing has been billed.' },
)

const CurrentPeriod = Type.Object(
  {
    index: count('Which period it is since the anchor was moved last, from 0.', 3),
    start_at: Time,
    end_at: Time,
    nominal_start_at: Type.String({
      format: 'date-time',
      description: 'One whole interval before its end. A change of items is a part of that length.',
      examples: ['2026-11-14T12:00:00.000Z'],
    }),
    invoice_id: IdOf('invoice', 'The invoice that bills it.'),
  },
  { description: 'The period that is billed. Null in a trial, and when none is left.' },
)

export const Trial = Type.Object(
  {
    start_at: Time,
    end_at: Time,
    end_behaviour: OneOf(endBehaviours, { description: 'What happens when it ends.' }),
    missing_payment_method: OneOf(missingMethodBehaviours, {
      description: 'What happens then if there is nothing to pay with.',
    }),
  },
  { description: 'Its free time at the beginning.' },
)

const Decline = Type.Object({
  code: Type.String({ description: 'Why. One of the decline codes.', examples: ['insufficient_funds'] }),
  advice_code: nullable(Type.String({ description: 'What the payer can do.', examples: ['other_method'] })),
  message: Type.String({ description: 'A text for the payer.', examples: ['Use another card.'] }),
})

const policyText = 'Whether it becomes active when it is paid, or as soon as that is tried.'

export const Activation = Type.Object(
  {
    purpose: OneOf(['start', 'resume'], { description: 'Whether it begins or goes on with that payment.' }),
    policy: OneOf(activationPolicies, { description: policyText }),
    state: OneOf(activationStates, {
      description: '`requires_action`: it was tried in vain, and the customer has to act.',
    }),
    invoice_id: nullable(IdOf('invoice')),
    payment_id: nullable(IdOf('payment')),
    expires_at: timeOf('Until then it can be paid.'),
    last_decline: nullable({ ...Decline, description: 'Why the last try failed.' }),
  },
  { description: 'The payment that its beginning, or its resumption, waits for.' },
)

export const Pause = Type.Object(
  {
    reason: OneOf(pauseReasons, { description: 'Why it is paused.' }),
    paused_at: Time,
    resumes_at: timeOf('When it goes on by itself.'),
    open_invoices: OneOf(openInvoiceChoices, { description: 'What became of invoices that were open.' }),
    unused_time: OneOf(unusedTimes, { description: 'What becomes of the rest of the period.' }),
    remaining_seconds: count(
      'What is left of its trial or its period, and is lived after it resumes.',
      1814400,
    ),
  },
  { description: 'Set while it is paused.' },
)

export const Scheduled = Type.Object(
  {
    action: OneOf(['cancel', 'pause', 'update'], { description: 'What will be done.' }),
    at: Type.String({ description: '`period_end`, or a time.', examples: ['period_end'] }),
    effective_at: timeOf('When it happens; null while it is paused and nobody can tell.'),
    payload: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What was asked for, as it was asked.',
    }),
  },
  { description: 'What is to happen later. There is at most one.' },
)

export const Collection = Type.Object(
  {
    status: OneOf(collectionStatuses, {
      description: '`past_due`: something is overdue, and is tried again. `unpaid`: that was given up.',
      loggable: true,
    }),
    past_due_since_at: mostlyNull({ ...Time, description: 'Since when something is overdue.' }),
    overdue_amount: count('What is overdue.', 0),
    open_invoices: count('Invoices that are not paid yet.', 0),
    next_attempt_at: mostlyNull({ ...Time, description: 'When the next of them is tried.' }),
    campaign_id: mostlyNull(IdOf('dunning_campaign')),
    final_action: mostlyNull(
      Type.String({ description: 'What becomes of the subscription if nothing helps.', examples: ['pause'] }),
    ),
    final_action_at: mostlyNull({ ...Time, description: 'When collecting is given up.' }),
  },
  { description: 'What is owed. It never changes `status` by itself.' },
)

export const AccessShape = Type.Object(
  {
    granted: Type.Boolean({
      description: 'Whether to let the customer in.',
      examples: [true],
      loggable: true,
    }),
    reason: OneOf(accessReasons, { description: 'Why, or why not.', examples: ['paid'], loggable: true }),
    until_at: timeOf('As far as is known now.'),
  },
  { description: 'Whether the customer may use what they subscribed to: gate on this.' },
)

const members = {
  id: IdOf('subscription'),
  object: Type.Literal('subscription'),
  status: OneOf(statuses, {
    description: 'Whether its clock runs. A new one is `trialing`, also without a trial.',
    loggable: true,
    examples: ['active'],
  }),
  customer_id: IdOf('customer'),
  payment_method_id: nullable(IdOf('payment_method', 'What it is paid with.')),
  payment_route_id: nullable(IdOf('payment_route', 'How its payments are routed.')),
  dunning_policy_id: nullable(IdOf('dunning_policy')),
  currency: OneOf(currencies, { description: 'ISO 4217, lower case.', examples: ['eur'], loggable: true }),
  interval: Type.Object(
    {
      unit: OneOf(['day', 'week', 'month', 'year'], { description: 'What is counted.' }),
      count: count('How many of them make a period.', 1),
    },
    { description: 'How long a period is. That of the prices of its items.' },
  ),
  description: nullable(Type.String({ description: 'A note for your people.', examples: ['Team plan'] })),
  items: Type.Array(ItemObject, { description: 'What is billed.' }),
  anchor: shownNullable(Anchor),
  current_period: shownNullable(CurrentPeriod),
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
        reason: OneOf(cancellationReasons, { description: 'Who or what cancelled it.' }),
        feedback: nullable(Type.String({ description: 'Why, in the words of the customer or yours.' })),
      },
      { description: 'Set when it is cancelled.' },
    ),
  ),
  latest_invoice_id: nullable(IdOf('invoice', 'The invoice that was made last.')),
  parked: nullable(
    Type.Object(
      {
        reason: Type.String({ description: 'What is wrong.', examples: ['too_many_overdue_periods'] }),
        at: Time,
      },
      { description: 'Something is wrong with it, and nothing happens by itself until somebody has looked.' },
    ),
  ),
  test_clock_id: mostlyNull(IdOf('test_clock')),
  metadata: Metadata,
  started_at: Time,
  cancelled_at: mostlyNull({ ...Time, description: 'When it was cancelled.' }),
  ended_at: mostlyNull({ ...Time, description: 'When it ended.' }),
  created_at: Time,
  updated_at: Time,
}

export const SubscriptionObject = Type.Object(members, {
  $id: 'Subscription',
  description:
    'What a customer pays for again and again: its clock, what it owes, and whether it gives access.',
})
export const SubscriptionPath = Type.Object({ subscription_id: IdOf('subscription') })
