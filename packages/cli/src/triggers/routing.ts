/** Provider accounts, payment routes and dry runs. What is made for it is archived or deleted afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteSimulation } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import { cards, declinedPayment, type Recipes, type World } from './world.ts'

/** So many calls have to be looked at before an account counts as failing. */
const callsToTrip = 20
/** It should take one; a machine that is busy may take another. */
const wellWithinMinutes = 3

export const routingRecipes = {
  'provider_account.created': {
    how: 'create a simulated account',
    run: (world) => withAccount(world, async () => {}),
  },
  'provider_account.updated': {
    how: 'create a simulated account, change it',
    run: (world) =>
      withAccount(world, (id) => world.client.providerAccounts.update(id, { display_name: 'Another name' })),
  },
  'provider_account.held': {
    how: 'create a simulated account, hold it',
    run: (world) => withAccount(world, (id) => hold(world, id)),
  },
  'provider_account.released': {
    how: 'create a simulated account, hold it, release it',
    run: (world) =>
      withAccount(world, async (id) => {
        await hold(world, id)
        await world.client.providerAccounts.release(id)
      }),
  },
  'provider_account.degraded': {
    how: `create a simulated account that is out of service, send it ${callsToTrip} payments`,
    run: (world) => withAccount(world, (id) => breakDown(world, id)),
  },
  'provider_account.recovered': {
    how: `create a simulated account that is out of service, send it ${callsToTrip} payments, let it be well again; that takes a minute`,
    run: (world) =>
      withAccount(world, async (id) => {
        await breakDown(world, id)
        await world.client.providerAccounts.update(id, { config: { outage: outageUntil('2001') } })
        await untilWell(world, id)
      }),
  },
  'provider_account.credentials_refused': {
    how: 'create a simulated account, pay there with the card that refuses credentials',
    run: (world) => withAccount(world, (id) => payAt(world, id, cards.refusesCredentials)),
  },
  'payment_route.created': {
    how: 'create a draft of a route',
    run: (world) => withDraft(world, async () => {}),
  },
  'payment_route.updated': {
    how: 'create a draft of a route, change it',
    run: (world) =>
      withDraft(world, (id) => world.client.paymentRoutes.update(id, { name: 'Another name', draft: true })),
  },
  'payment_route.deleted': {
    how: 'create a draft of a route, delete it',
    run: (world) => withDraft(world, async () => {}),
  },
  'payment_route.published': {
    how: 'create a route, publish another revision of it',
    run: (world) => withRoute(world, (id) => world.client.paymentRoutes.update(id, { name: 'Another name' })),
  },
  'payment_route.archived': {
    how: 'create a route, archive it',
    run: (world) => withRoute(world, async () => {}),
  },
  'route_simulation.created': {
    how: 'create a route, try it with the payments of the last day',
    run: (world) => withRoute(world, (id) => simulate(world, id)),
  },
  'route_simulation.completed': {
    how: 'create a route, try it with the payments of the last day',
    run: (world) => withRoute(world, (id) => simulate(world, id)),
  },
  'route_simulation.cancelled': {
    how: 'create a route, begin a dry run, cancel it',
    run: (world) =>
      withRoute(world, async (id) => {
        const { id: simulationId } = await simulate(world, id)
        await world.client.paymentRoutes.cancelSimulation(id, simulationId)
      }),
  },
} satisfies Recipes

/** Makes an account that tells of nothing by itself, and pays there. It is disabled, since it has to be asked again. */
export async function silentPayment(world: World): Promise<string> {
  const { providerAccounts, paymentRoutes } = world.client
  const account = await providerAccounts.create({
    ...simulated,
    // Nothing but a look can tell what became of it, and for half a minute a look finds nothing.
    config: { webhooks: 'off', replay: false, close: false, lookup_lag_ms: 30_000 },
  })
  const route = await paymentRoutes.create({
    ...named,
    default: { type: 'priority', targets: [account.id] },
  })
  const payment = await world.pay(cards.chargesThenFails, { payment_route_id: route.id })
  await paymentRoutes.archive(route.id)
  await providerAccounts.disable(account.id)
  return payment.id
}

const named = { name: 'Made by switchyard trigger' }
const simulated = { provider: 'simulator', display_name: 'Made by switchyard trigger' } as const

async function withAccount(world: World, act: (id: string) => Promise<unknown>): Promise<string> {
  const { providerAccounts } = world.client
  const { id } = await providerAccounts.create({
    provider: 'simulator',
    display_name: 'Made by switchyard trigger',
  })
  try {
    await act(id)
  } finally {
    await providerAccounts.archive(id)
  }
  return id
}

function hold({ client }: World, id: string) {
  const until_at = new Date(Date.now() + 3_600_000)
  return client.providerAccounts.hold(id, { reason: 'switchyard trigger', until_at })
}

function outageUntil(year: string) {
  return { from_at: '2000-01-01T00:00:00.000Z', until_at: `${year}-01-01T00:00:00.000Z` }
}

async function breakDown(world: World, id: string): Promise<void> {
  await world.client.providerAccounts.update(id, { config: { outage: outageUntil('2100') } })
  await payAt(world, id, cards.good, callsToTrip)
}

/** It is left alone for half a minute, and then tried out by itself. */
async function untilWell({ client, signal }: World, id: string): Promise<void> {
  const deadline = Date.now() + wellWithinMinutes * 60_000
  while (Date.now() < deadline) {
    const { health } = await client.providerAccounts.get(id, { signal })
    if (health.breaker.authorize === 'closed') return
    await sleep(1_000, undefined, { signal })
  }
  throw new CliError(
    'failed',
    `The account ${id} is not well again after ${wellWithinMinutes} minutes.`,
    'Does the server do its work? See: switchyard doctor',
  )
}

/** Payments that no other account is asked about. They fail, and that is what they are for. */
async function payAt(world: World, accountId: string, number: string, times = 1): Promise<void> {
  const { paymentRoutes } = world.client
  const route = await paymentRoutes.create({
    ...named,
    default: { type: 'priority', targets: [accountId] },
  })
  for (let paid = 0; paid < times; paid += 1)
    await declinedPayment(world.pay(number, { payment_route_id: route.id }))
  await paymentRoutes.archive(route.id)
}

const nobody = { ...named, default: { type: 'decline' } } as const

async function withDraft({ client }: World, act: (id: string) => Promise<unknown>): Promise<string> {
  const { id } = await client.paymentRoutes.create({ ...nobody, draft: true })
  await act(id)
  await client.paymentRoutes.delete(id)
  return id
}

async function withRoute({ client }: World, act: (id: string) => Promise<unknown>): Promise<string> {
  const { id } = await client.paymentRoutes.create(nobody)
  await act(id)
  await client.paymentRoutes.archive(id)
  return id
}

function simulate({ client }: World, id: string): Promise<RouteSimulation> {
  const from_at = new Date(Date.now() - 86_400_000)
  return client.paymentRoutes.simulateHistory(id, { history: { from_at, payments: 'all' } })
}
