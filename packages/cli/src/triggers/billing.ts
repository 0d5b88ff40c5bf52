/** Subscriptions, invoices and dunning. Recipes in which time has to pass use a test clock. */
import type { CreateSubscription, Invoice } from '@switchyard/sdk'
import type { Recipes, TriggerContext } from './trigger-context.ts'

/** `clockId` is empty without a test clock. */
type Subscriber = { readonly customerId: string; readonly subscriptionId: string; readonly clockId: string }

const declinesRenewal = 'approve, decline:51'

export const billingRecipes = {
  'subscription.created': { how: 'subscribe', run: (context) => subscribeAndRun(context) },
  'subscription.activated': { how: 'subscribe with a good card', run: (context) => subscribeAndRun(context) },
  'subscription.activation_required': {
    how: 'subscribe with a card that is declined',
    run: (context) => subscribeAndRun(context, { script: 'decline:51' }),
  },
  'subscription.activation_expired': {
    how: 'subscribe on a test clock with a card that is declined, advance it by a month',
    run: (context) => subscribeAndRun(context, { script: 'decline:51', days: 32 }),
  },
  'subscription.trial_will_end': {
    how: 'subscribe on a test clock with a trial of 14 days, advance it by 12 days',
    run: (context) => subscribeAndRun(context, { members: { trial: { days: 14 } }, days: 12 }),
  },
  'subscription.updated': {
    how: 'subscribe, change the description',
    run: (context) =>
      subscribeAndRun(context, {}, ({ subscriptionId }) =>
        context.client.subscriptions.update(subscriptionId, { description: 'Order 4711' }),
      ),
  },
  'subscription.renewed': {
    how: 'subscribe on a test clock, advance it by a month',
    run: (context) => subscribeAndRun(context, { days: 32 }),
  },
  'subscription.paused': {
    how: 'subscribe with a trial, pause',
    run: (context) =>
      subscribeInTrial(context, ({ subscriptionId }) => context.client.subscriptions.pause(subscriptionId)),
  },
  'subscription.resumed': {
    how: 'subscribe with a trial, pause, resume',
    run: (context) =>
      subscribeInTrial(context, async ({ subscriptionId }) => {
        await context.client.subscriptions.pause(subscriptionId)
        await context.client.subscriptions.resume(subscriptionId)
      }),
  },
  'subscription.cancel_scheduled': {
    how: 'subscribe with a trial, cancel at the end of the period',
    run: (context) =>
      subscribeInTrial(context, ({ subscriptionId }) =>
        context.client.subscriptions.cancel(subscriptionId, { at: 'period_end' }),
      ),
  },
  'subscription.cancelled': {
    how: 'subscribe with a trial, cancel',
    run: (context) =>
      subscribeInTrial(context, ({ subscriptionId }) =>
        context.client.subscriptions.cancel(subscriptionId, { at: 'now' }),
      ),
  },
  'subscription.past_due': {
    how: 'subscribe on a test clock, decline a renewal',
    run: (context) => failRenewal(context),
  },
  'subscription.recovered': {
    how: 'subscribe on a test clock, decline a renewal, approve its retry',
    run: (context) => subscribeAndRun(context, { script: 'approve, decline:51, approve', days: 50 }),
  },
  'subscription.unpaid': {
    how: 'subscribe on a test clock with a dunning policy that ends as unpaid, decline every retry',
    run: async (context) => {
      const final = { subscription: 'mark_unpaid', invoice: 'leave_open' } as const
      const policy = await context.client.dunningPolicies.create({
        name: 'Created by switchyard trigger',
        retry_days: [1, 2],
        final,
      })
      return subscribeAndRun(context, {
        script: declinesRenewal,
        members: { dunning_policy_id: policy.id },
        days: 45,
      })
    },
  },
  'subscription.parked': { why: 'A subscription is only parked after an internal error.' },
  'subscription.unparked': { why: 'Only a parked subscription can be unparked; see subscription.parked.' },
  'invoice.created': { how: 'subscribe', run: (context) => subscribeAndRun(context) },
  'invoice.finalized': { how: 'subscribe', run: (context) => subscribeAndRun(context) },
  'invoice.paid': { how: 'subscribe with a good card', run: (context) => subscribeAndRun(context) },
  'invoice.payment_failed': {
    how: 'subscribe on a test clock, decline a renewal',
    run: (context) => failRenewal(context),
  },
  'invoice.payment_action_required': {
    how: 'subscribe on a test clock, let the bank require authentication at the renewal',
    run: (context) => subscribeAndRun(context, { script: 'approve, decline:70', days: 32 }),
  },
  'invoice.overdue': {
    how: 'subscribe on a test clock, decline a renewal',
    run: (context) => failRenewal(context),
  },
  'invoice.updated': {
    how: 'subscribe on a test clock, decline a renewal, change the card of the subscription',
    run: (context) =>
      failRenewal(context, async ({ customer_id, subscription_id }) => {
        const payment_method_id = await context.attachCard(customer_id)
        await context.client.subscriptions.update(subscription_id ?? '', { payment_method_id })
      }),
  },
  'invoice.sent': {
    how: 'create an invoice with one line, send it',
    run: (context) => sendOneOff(context),
  },
  'invoice.reminder_due': {
    how: 'send an invoice that is due after 14 days on a test clock, advance it by 12 days',
    run: (context) => sendOneOff(context, 12),
  },
  'credit_note.issued': {
    how: 'send an invoice, issue a credit note for part of it',
    run: (context) => creditOneOff(context),
  },
  'credit_note.voided': {
    how: 'send an invoice, issue a credit note for part of it, void the note',
    run: async (context) => {
      const id = await creditOneOff(context)
      await context.client.creditNotes.void(id)
      return id
    },
  },
  'invoice.voided': {
    how: 'subscribe on a test clock, decline a renewal, void its invoice',
    run: (context) => failRenewal(context, ({ id }) => context.client.invoices.void(id)),
  },
  'invoice.marked_uncollectible': {
    how: 'subscribe on a test clock, decline a renewal, mark its invoice uncollectible',
    run: (context) => failRenewal(context, ({ id }) => context.client.invoices.markUncollectible(id)),
  },
  'credit_balance.changed': {
    how: 'subscribe on a test clock, pay for a month, cancel with credit for the unused time',
    run: async (context) => {
      const { customerId, subscriptionId } = await subscribe(context, { days: 1 })
      await context.client.subscriptions.cancel(subscriptionId, { at: 'now', unused_time: 'credit' })
      return customerId
    },
  },
  'dunning_campaign.started': {
    how: 'subscribe on a test clock, decline a renewal',
    run: (context) => failRenewal(context),
  },
  'dunning_campaign.step_failed': {
    how: 'subscribe on a test clock, decline a renewal and its retries',
    run: (context) => subscribeAndRun(context, { script: declinesRenewal, days: 50 }),
  },
  'dunning_campaign.recovered': {
    how: 'subscribe on a test clock, decline a renewal, approve its retry',
    run: (context) => subscribeAndRun(context, { script: 'approve, decline:51, approve', days: 50 }),
  },
  'dunning_campaign.exhausted': {
    how: 'subscribe on a test clock, decline a renewal and every retry',
    run: (context) => subscribeAndRun(context, { script: declinesRenewal, days: 90 }),
  },
  'dunning_campaign.stopped': {
    how: 'subscribe on a test clock, decline a renewal, stop the campaign',
    run: async (context) => {
      const { subscriptionId } = await subscribe(context, { script: declinesRenewal, days: 32 })
      const { data } = await context.client.dunningCampaigns.list({ subscription_id: subscriptionId }).page()
      await context.client.dunningCampaigns.stop(data[0]?.id ?? '')
      return subscriptionId
    },
  },
} satisfies Recipes

type SubscribeOptions = {
  /** The outcome of each payment, as a script for the simulator. */
  readonly script?: string
  readonly members?: Partial<CreateSubscription>
  /** By how many days to advance a test clock. Without it, no clock is used. */
  readonly days?: number
}

async function subscribe(
  context: TriggerContext,
  { script, members = {}, days }: SubscribeOptions = {},
): Promise<Subscriber> {
  const { client, createCustomer, attachCard, createPrice, createClock, advanceClock } = context
  const clockId = days === undefined ? '' : await createClock()
  const customerId = await createCustomer(clockId === '' ? undefined : clockId)
  await attachCard(customerId, script)
  const items = [{ price_id: await createPrice() }]
  const { id } = await client.subscriptions.create({ customer_id: customerId, items, ...members })
  if (days !== undefined) await advanceClock(clockId, `P${days}D`)
  return { customerId, subscriptionId: id, clockId }
}

async function subscribeAndRun(
  context: TriggerContext,
  options: SubscribeOptions = {},
  action: (subscriber: Subscriber) => Promise<unknown> = async () => {},
): Promise<string> {
  const subscriber = await subscribe(context, options)
  await action(subscriber)
  return subscriber.subscriptionId
}

function subscribeInTrial(
  context: TriggerContext,
  action: (subscriber: Subscriber) => Promise<unknown>,
): Promise<string> {
  return subscribeAndRun(context, { members: { trial: { days: 14 } } }, action)
}

/** Stops just after the declined renewal, while retries are still pending. */
async function failRenewal(
  context: TriggerContext,
  action: (invoice: Invoice) => Promise<unknown> = async () => {},
): Promise<string> {
  const { subscriptionId } = await subscribe(context, { script: declinesRenewal, days: 32 })
  const { data } = await context.client.invoices.list({ subscription_id: subscriptionId }).page()
  const open = data.find(({ status }) => status === 'open')
  if (open !== undefined) await action(open)
  return subscriptionId
}

/** Sends a one-off invoice that is due after 14 days. `days`: by how many days to advance a test clock. */
async function sendOneOff(
  { client, createCustomer, createClock, advanceClock }: TriggerContext,
  days?: number,
): Promise<string> {
  const clockId = days === undefined ? undefined : await createClock()
  const { id } = await client.invoices.create({
    customer_id: await createCustomer(clockId),
    currency: 'eur',
    collection_method: 'send_invoice',
    terms: { days: 14 },
    lines: [{ description: 'Workshop, one day', unit_amount: 120000 }],
  })
  await client.invoices.send(id)
  if (clockId !== undefined) await advanceClock(clockId, `P${days}D`)
  return id
}

async function creditOneOff(context: TriggerContext): Promise<string> {
  const invoice_id = await sendOneOff(context)
  const { lines } = await context.client.invoices.get(invoice_id)
  const credited = [{ invoice_line_id: lines[0]?.id ?? '', amount: 20000 }]
  return (await context.client.creditNotes.create({ invoice_id, lines: credited })).id
}
