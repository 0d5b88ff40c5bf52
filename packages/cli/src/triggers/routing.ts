/** Provider accounts, payment routes and dry runs. The objects are archived or deleted afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteSimulation } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import { cards, idOfDeclinedPayment, type Recipes, type TriggerContext } from './trigger-context.ts'

/** Enough failed calls to open the circuit breaker. */
const callsToOpenBreaker = 20
/** Recovery takes about one minute, and longer on a busy machine. */
const recoveryTimeoutMinutes = 3

export const routingRecipes = {
  'provider_account.created': {
    how: 'create a simulated account',
    run: (context) => withAccount(context, async () => {}),
  },
  'provider_account.updated': {
    how: 'create a simulated account, update it',
    run: (context) =>
      withAccount(context, (id) =>
        context.client.providerAccounts.update(id, { display_name: 'Another name' }),
      ),
  },
  'provider_account.held': {
    how: 'create a simulated account, hold it',
    run: (context) => withAccount(context, (id) => hold(context, id)),
  },
  'provider_account.released': {
    how: 'create a simulated account, hold it, release it',
    run: (context) =>
      withAccount(context, async (id) => {
        await hold(context, id)
        await context.client.providerAccounts.release(id)
      }),
  },
  'provider_account.degraded': {
    how: `create a simulated account that is out of service, send it ${callsToOpenBreaker} payments`,
    run: (context) => withAccount(context, (id) => causeOutage(context, id)),
  },
  'provider_account.recovered': {
    how: `create a simulated account that is out of service, send it ${callsToOpenBreaker} payments, end the outage; this takes a minute`,
    run: (context) =>
      withAccount(context, async (id) => {
        await causeOutage(context, id)
        await context.client.providerAccounts.update(id, { config: { outage: outageUntil('2001') } })
        await waitForRecovery(context, id)
      }),
  },
  'provider_account.credentials_refused': {
    how: 'create a simulated account, pay with the test card for rejected credentials',
    run: (context) => withAccount(context, (id) => payThroughAccount(context, id, cards.rejectsCredentials)),
  },
  'payment_route.created': {
    how: 'create a draft route',
    run: (context) => withDraft(context, async () => {}),
  },
  'payment_route.updated': {
    how: 'create a draft route, update it',
    run: (context) =>
      withDraft(context, (id) =>
        context.client.paymentRoutes.update(id, { name: 'Another name', draft: true }),
      ),
  },
  'payment_route.deleted': {
    how: 'create a draft route, delete it',
    run: (context) => withDraft(context, async () => {}),
  },
  'payment_route.published': {
    how: 'create a route, publish another revision',
    run: (context) =>
      withRoute(context, (id) => context.client.paymentRoutes.update(id, { name: 'Another name' })),
  },
  'payment_route.archived': {
    how: 'create a route, archive it',
    run: (context) => withRoute(context, async () => {}),
  },
  'route_simulation.created': {
    how: 'create a route, run a dry run with the payments of the last day',
    run: (context) => withRoute(context, (id) => simulate(context, id)),
  },
  'route_simulation.completed': {
    how: 'create a route, run a dry run with the payments of the last day',
    run: (context) => withRoute(context, (id) => simulate(context, id)),
  },
  'route_simulation.cancelled': {
    how: 'create a route, start a dry run, cancel it',
    run: (context) =>
      withRoute(context, async (id) => {
        const { id: simulationId } = await simulate(context, id)
        await context.client.paymentRoutes.cancelSimulation(id, simulationId)
      }),
  },
} satisfies Recipes

/**
 * Pays at an account that sends no webhooks, so that the outcome is unknown at first. The account is disabled and not
 * archived, because the server still has to look the payment up there.
 */
export async function payWithUnknownOutcome(context: TriggerContext): Promise<string> {
  const { providerAccounts, paymentRoutes } = context.client
  const account = await providerAccounts.create({
    ...simulatorAccount,
    // Only a lookup can resolve the outcome, and lookups find nothing in the first 30 seconds.
    config: { webhooks: 'off', replay: false, close: false, lookup_lag_ms: 30_000 },
  })
  const route = await paymentRoutes.create({
    ...routeMembers,
    default: { type: 'priority', targets: [account.id] },
  })
  const payment = await context.pay(cards.chargesThenFails, { payment_route_id: route.id })
  await paymentRoutes.archive(route.id)
  await providerAccounts.disable(account.id)
  return payment.id
}

const routeMembers = { name: 'Created by switchyard trigger' }
const simulatorAccount = { provider: 'simulator', display_name: 'Created by switchyard trigger' } as const

async function withAccount(
  context: TriggerContext,
  action: (id: string) => Promise<unknown>,
): Promise<string> {
  const { providerAccounts } = context.client
  const { id } = await providerAccounts.create({
    provider: 'simulator',
    display_name: 'Created by switchyard trigger',
  })
  try {
    await action(id)
  } catch (error) {
    // Archiving can also fail, because the account may still be in use. Report only the first error.
    await providerAccounts.archive(id).catch(() => {})
    throw error
  }
  await providerAccounts.archive(id)
  return id
}

function hold({ client }: TriggerContext, id: string) {
  const until_at = new Date(Date.now() + 3_600_000)
  return client.providerAccounts.hold(id, { reason: 'switchyard trigger', until_at })
}

function outageUntil(year: string) {
  return { from_at: '2000-01-01T00:00:00.000Z', until_at: `${year}-01-01T00:00:00.000Z` }
}

async function causeOutage(context: TriggerContext, id: string): Promise<void> {
  await context.client.providerAccounts.update(id, { config: { outage: outageUntil('2100') } })
  await payThroughAccount(context, id, cards.good, callsToOpenBreaker)
}

/** Waits until the circuit breaker is closed again. The server probes the account after half a minute. */
async function waitForRecovery({ client, signal }: TriggerContext, id: string): Promise<void> {
  const deadline = Date.now() + recoveryTimeoutMinutes * 60_000
  while (Date.now() < deadline) {
    const { health } = await client.providerAccounts.get(id, { signal })
    if (health.breaker.authorize === 'closed') return
    await sleep(1_000, undefined, { signal })
  }
  throw new CliError(
    'failed',
    `Account ${id} has not recovered after ${recoveryTimeoutMinutes} minutes.`,
    'Check that the worker is running: switchyard doctor',
  )
}

/** Creates payments that only this account can process. They are expected to fail. */
async function payThroughAccount(
  context: TriggerContext,
  accountId: string,
  number: string,
  times = 1,
): Promise<void> {
  const { paymentRoutes } = context.client
  const route = await paymentRoutes.create({
    ...routeMembers,
    default: { type: 'priority', targets: [accountId] },
  })
  for (let paid = 0; paid < times; paid += 1)
    await idOfDeclinedPayment(context.pay(number, { payment_route_id: route.id }))
  await paymentRoutes.archive(route.id)
}

const decliningRoute = { ...routeMembers, default: { type: 'decline' } } as const

async function withDraft(
  { client }: TriggerContext,
  action: (id: string) => Promise<unknown>,
): Promise<string> {
  const { id } = await client.paymentRoutes.create({ ...decliningRoute, draft: true })
  await action(id)
  await client.paymentRoutes.delete(id)
  return id
}

async function withRoute(
  { client }: TriggerContext,
  action: (id: string) => Promise<unknown>,
): Promise<string> {
  const { id } = await client.paymentRoutes.create(decliningRoute)
  await action(id)
  await client.paymentRoutes.archive(id)
  return id
}

function simulate({ client }: TriggerContext, id: string): Promise<RouteSimulation> {
  const from_at = new Date(Date.now() - 86_400_000)
  return client.paymentRoutes.simulateHistory(id, { history: { from_at, payments: 'all' } })
}
