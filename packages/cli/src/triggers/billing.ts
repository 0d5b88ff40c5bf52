/** Subscriptions, invoices and dunning, on a test clock where time has to pass. */
import type { CreateSubscription, Invoice } from '@switchyard/sdk'
import type { Recipes, World } from './world.ts'

/** A subscriber whose card does what `script` says, and who may live on a clock. */
type Subscriber = { readonly customerId: string; readonly subscriptionId: string; readonly clockId: string }

const declinesRenewal = 'approve, decline:51'

export const billingRecipes = {
  'subscription.created': { how: 'subscribe', run: (world) => subscribed(world) },
  'subscription.activated': { how: 'subscribe with a good card', run: (world) => subscribed(world) },
  'subscription.activation_required': {
    how: 'subscribe with a card that is declined',
    run: (world) => subscribed(world, { script: 'decline:51' }),
  },
  'subscription.activation_expired': {
    how: 'subscribe on a clock with a card that is declined, let a month pass',
    run: (world) => subscribed(world, { script: 'decline:51', days: 32 }),
  },
  'subscription.trial_will_end': {
    how: 'subscribe on a clock with a trial of 14 days, let 12 pass',
    run: (world) => subscribed(world, { members: { trial: { days: 14 } }, days: 12 }),
  },
  'subscription.updated': {
    how: 'subscribe, change the description',
    run: (world) =>
      subscribed(world, {}, ({ subscriptionId }) =>
        world.client.subscriptions.update(subscriptionId, { description: 'Order 4711' }),
      ),
  },
  'subscription.renewed': {
    how: 'subscribe on a clock, let a month pass',
    run: (world) => subscribed(world, { days: 32 }),
  },
  'subscription.paused': {
    how: 'subscribe with a trial, pause',
    run: (world) => inTrial(world, ({ subscriptionId }) => world.client.subscriptions.pause(subscriptionId)),
  },
  'subscription.resumed': {
    how: 'subscribe with a trial, pause, resume',
    run: (world) =>
      inTrial(world, async ({ subscriptionId }) => {
        await world.client.subscriptions.pause(subscriptionId)
        await world.client.subscriptions.resume(subscriptionId)
      }),
  },
  'subscription.cancel_scheduled': {
    how: 'subscribe with a trial, cancel at the end of the period',
    run: (world) =>
      inTrial(world, ({ subscriptionId }) =>
        world.client.subscriptions.cancel(subscriptionId, { at: 'period_end' }),
      ),
  },
  'subscription.cancelled': {
    how: 'subscribe with a trial, cancel',
    run: (world) =>
      inTrial(world, ({ subscriptionId }) =>
        world.client.subscriptions.cancel(subscriptionId, { at: 'now' }),
      ),
  },
  'subscription.past_due': {
    how: 'subscribe on a clock, let a renewal be declined',
    run: (world) => failedRenewal(world),
  },
  'subscription.recovered': {
    how: 'subscribe on a clock, let a renewal be declined and its retry succeed',
    run: (world) => subscribed(world, { script: 'approve, decline:51, approve', days: 50 }),
  },
  'subscription.unpaid': {
    how: 'subscribe on a clock with a policy that ends as unpaid, let every retry be declined',
    run: async (world) => {
      const final = { subscription: 'mark_unpaid', invoice: 'leave_open' } as const
      const policy = await world.client.dunningPolicies.create({
        name: 'Made by switchyard trigger',
        retry_days: [1, 2],
        final,
      })
      return subscribed(world, {
        script: declinesRenewal,
        members: { dunning_policy_id: policy.id },
        days: 45,
      })
    },
  },
  'subscription.parked': { why: 'Something has to be wrong with a subscription that never should be.' },
  'subscription.unparked': { why: 'Only what was parked can be: see subscription.parked.' },
  'invoice.created': { how: 'subscribe', run: (world) => subscribed(world) },
  'invoice.finalized': { how: 'subscribe', run: (world) => subscribed(world) },
  'invoice.paid': { how: 'subscribe with a good card', run: (world) => subscribed(world) },
  'invoice.payment_failed': {
    how: 'subscribe on a clock, let a renewal be declined',
    run: (world) => failedRenewal(world),
  },
  'invoice.payment_action_required': {
    how: 'subscribe on a clock, let the bank ask for the customer at the renewal',
    run: (world) => subscribed(world, { script: 'approve, decline:70', days: 32 }),
  },
  'invoice.overdue': {
    how: 'subscribe on a clock, let a renewal be declined',
    run: (world) => failedRenewal(world),
  },
  'invoice.updated': {
    how: 'subscribe on a clock, let a renewal be declined, give the subscription another card',
    run: (world) =>
      failedRenewal(world, async ({ customer_id, subscription_id }) => {
        const payment_method_id = await world.cardOf(customer_id)
        await world.client.subscriptions.update(subscription_id ?? '', { payment_method_id })
      }),
  },
  'invoice.voided': {
    how: 'subscribe on a clock, let a renewal be declined, void its invoice',
    run: (world) => failedRenewal(world, ({ id }) => world.client.invoices.void(id)),
  },
  'invoice.marked_uncollectible': {
    how: 'subscribe on a clock, let a renewal be declined, give its invoice up',
    run: (world) => failedRenewal(world, ({ id }) => world.client.invoices.markUncollectible(id)),
  },
  'credit_balance.changed': {
    how: 'subscribe on a clock, pay for a month, cancel with credit for what is left',
    run: async (world) => {
      const { customerId, subscriptionId } = await subscribe(world, { days: 1 })
      await world.client.subscriptions.cancel(subscriptionId, { at: 'now', unused_time: 'credit' })
      return customerId
    },
  },
  'dunning_campaign.started': {
    how: 'subscribe on a clock, let a renewal be declined',
    run: (world) => failedRenewal(world),
  },
  'dunning_campaign.step_failed': {
    how: 'subscribe on a clock, let a renewal and its retries be declined',
    run: (world) => subscribed(world, { script: declinesRenewal, days: 50 }),
  },
  'dunning_campaign.recovered': {
    how: 'subscribe on a clock, let a renewal be declined and its retry succeed',
    run: (world) => subscribed(world, { script: 'approve, decline:51, approve', days: 50 }),
  },
  'dunning_campaign.exhausted': {
    how: 'subscribe on a clock, let a renewal and every retry be declined',
    run: (world) => subscribed(world, { script: declinesRenewal, days: 90 }),
  },
  'dunning_campaign.stopped': {
    how: 'subscribe on a clock, let a renewal be declined, stop the campaign',
    run: async (world) => {
      const { subscriptionId } = await subscribe(world, { script: declinesRenewal, days: 32 })
      const { data } = await world.client.dunningCampaigns.list({ subscription_id: subscriptionId }).page()
      await world.client.dunningCampaigns.stop(data[0]?.id ?? '')
      return subscriptionId
    },
  },
} satisfies Recipes

type Wish = {
  /** What becomes of each payment, as the simulator reads it. */
  readonly script?: string
  readonly members?: Partial<CreateSubscription>
  /** How many days pass on a clock; without it there is none. */
  readonly days?: number
}

async function subscribe(world: World, { script, members = {}, days }: Wish = {}): Promise<Subscriber> {
  const { client, customer, cardOf, price, clock, advance } = world
  const clockId = days === undefined ? '' : await clock()
  const customerId = await customer(clockId === '' ? undefined : clockId)
  await cardOf(customerId, script)
  const items = [{ price_id: await price() }]
  const { id } = await client.subscriptions.create({ customer_id: customerId, items, ...members })
  if (days !== undefined) await advance(clockId, `P${days}D`)
  return { customerId, subscriptionId: id, clockId }
}

async function subscribed(
  world: World,
  wish: Wish = {},
  act: (subscriber: Subscriber) => Promise<unknown> = async () => {},
): Promise<string> {
  const subscriber = await subscribe(world, wish)
  await act(subscriber)
  return subscriber.subscriptionId
}

function inTrial(world: World, act: (subscriber: Subscriber) => Promise<unknown>): Promise<string> {
  return subscribed(world, { members: { trial: { days: 14 } } }, act)
}

/** Just after the renewal, while it is still tried again. */
async function failedRenewal(
  world: World,
  act: (invoice: Invoice) => Promise<unknown> = async () => {},
): Promise<string> {
  const { subscriptionId } = await subscribe(world, { script: declinesRenewal, days: 32 })
  const { data } = await world.client.invoices.list({ subscription_id: subscriptionId }).page()
  const open = data.find(({ status }) => status === 'open')
  if (open !== undefined) await act(open)
  return subscriptionId
}
