import { expect, test } from 'vitest'
import { asOwner } from '../../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../../test/support/switchyard.ts'
import { compose } from '../../../../compose.ts'
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import {
  type Decision,
  decideFor,
  operandsOf,
  type PaymentFacts,
  pinnedRoute,
  routeFor,
  type Trace,
} from './decide.ts'

const switchyard = await switchyardForThisFile()
const operands = { amount: 1299, currency: 'eur', purpose: 'payment', 'card.brand': 'visa' }
const input = {
  operands,
  keys: { payment: 'a payment', customer: null, card: null },
  instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
  tried: [],
}

async function setUp() {
  const workspace = await switchyard.newWorkspace()
  const createAccount = async (name: string): Promise<string> => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const { body } = await workspace.post('/provider-accounts', {
      provider: 'custom',
      display_name: name,
      config,
    })
    return body.id
  }
  const [first, second] = [await createAccount('First'), await createAccount('Second')]
  const routeTo = (...targets: string[]) => ({ name: 'A route', default: { type: 'priority', targets } })
  return { workspace, first, second, routeTo }
}

/** Decides as a payment does, in a transaction. */
function decideIn(deps: Deps, { workspaceId }: Workspace, routeId: string | null = null): Promise<Decision> {
  const id = workspaceId as Id<'workspace'>
  return transact(deps, systemCaller({ workspaceId: id, id }), async (tx) =>
    decideFor(deps, tx, await routeFor(deps, tx, routeId), input),
  )
}

/** Simulates another process: it shares only the database, and has no NATS. */
function anotherProcess() {
  return compose(switchyard.config, { clock: switchyard.clock, publish: () => {} })
}

test('without a default route accounts are tried in order of position, a default or named route decides, and an archived route is rejected', async () => {
  const { workspace, first, second, routeTo } = await setUp()
  const { deps } = switchyard

  expect((await decideIn(deps, workspace)).chosen).toBe(first)
  const { body: route } = await workspace.post('/payment-routes', {
    ...routeTo(second, first),
    is_default: true,
  })
  expect(await decideIn(deps, workspace)).toMatchObject({
    chosen: second,
    trace: { payment_route_id: route.id, revision: 1 },
  })
  const { body: named } = await workspace.post('/payment-routes', routeTo(first))
  expect((await decideIn(deps, workspace, named.id)).trace.payment_route_id).toBe(named.id)
  await workspace.post(`/payment-routes/${named.id}/archive`)
  await expect(decideIn(deps, workspace, named.id)).rejects.toMatchObject({ code: 'reference_not_found' })
  await expect(decideIn(deps, workspace, 'nonsense')).rejects.toMatchObject({ code: 'reference_not_found' })
})

test('the process that made a change sees it immediately', async () => {
  const { workspace, first, second } = await setUp()
  const { deps } = switchyard
  expect((await decideIn(deps, workspace)).chosen).toBe(first)

  await workspace.post(`/provider-accounts/${first}/hold`, {
    reason: 'x',
    until_at: '2026-11-14T13:00:00.000Z',
  })
  expect((await decideIn(deps, workspace)).chosen).toBe(second)
  // The hold ends without a write: the cache contains its end time.
  switchyard.clock.advance({ hours: 1 })
  expect((await decideIn(deps, workspace)).chosen).toBe(first)
  await workspace.post(`/provider-accounts/${first}/disable`)
  expect((await decideIn(deps, workspace)).chosen).toBe(second)
})

test('changed costs are used by the next decision, and the trace has the costs of its time', async () => {
  const { workspace, first, second } = await setUp()
  const action = { type: 'priority', targets: [first, second], order_by: 'estimated_cost' }
  const { body: route } = await workspace.post('/payment-routes', { name: 'Cheapest', default: action })
  const setCosts = (id: string, basis_points: number) =>
    workspace.put(`/provider-accounts/${id}`, { costs: [{ basis_points }] })
  const decideNow = async () => {
    const { chosen, trace } = await decideIn(switchyard.deps, workspace, route.id)
    return { chosen, costs: trace.candidates.map((candidate) => candidate.estimated_cost) }
  }

  await setCosts(second, 200)
  expect(await decideNow()).toEqual({ chosen: second, costs: [26, null] })
  await setCosts(first, 100)
  expect(await decideNow()).toEqual({ chosen: first, costs: [13, 26] })
  await setCosts(first, 300)
  expect(await decideNow()).toEqual({ chosen: second, costs: [26, 39] })
})

test('without NATS a publication reaches other processes within seconds', async () => {
  const { workspace, first, second, routeTo } = await setUp()
  const other = anotherProcess()
  try {
    const { body: route } = await workspace.post('/payment-routes', {
      ...routeTo(first, second),
      is_default: true,
    })
    expect((await decideIn(other.deps, workspace)).chosen).toBe(first)

    for (const [revision, expected] of [
      [2, second],
      [3, first],
      [4, second],
    ] as const) {
      const targets = expected === first ? [first, second] : [second, first]
      await workspace.put(`/payment-routes/${route.id}`, { default: { type: 'priority', targets } })
      const decideInOther = () => decideIn(other.deps, workspace)
      await expect
        .poll(async () => (await decideInOther()).trace.revision, { timeout: 10_000, interval: 50 })
        .toBe(revision)
      expect((await decideInOther()).chosen).toBe(expected)
    }
  } finally {
    await other.close()
  }
}, 30_000)

test('a cache that could not be validated is not used', async () => {
  const { workspace, first } = await setUp()
  const other = anotherProcess()
  try {
    expect((await decideIn(other.deps, workspace)).chosen).toBe(first)
    // From now on the process cannot validate its cache.
    other.deps.routing.stop()
    await workspace.post(`/provider-accounts/${first}/disable`)

    const chosen = async () => (await decideIn(other.deps, workspace)).chosen
    await expect.poll(chosen, { timeout: 10_000, interval: 100 }).not.toBe(first)
  } finally {
    await other.close()
  }
})

test('decisions need no database query', async () => {
  const { workspace, first, second, routeTo } = await setUp()
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('create extension if not exists pg_stat_statements'),
  )
  const { body: route } = await workspace.post('/payment-routes', {
    ...routeTo(second, first),
    is_default: true,
  })
  const { deps } = switchyard
  const id = workspace.workspaceId as Id<'workspace'>
  await decideIn(deps, workspace)

  const { before, after } = await transact(deps, systemCaller({ workspaceId: id, id }), async (tx) => {
    const before = await countStatements()
    for (let nth = 0; nth < 1_000; nth += 1) {
      const pinned = await pinnedRoute(deps, tx, route.id, 1)
      expect(await routeFor(deps, tx, null)).toBe(pinned)
      expect((await decideFor(deps, tx, pinned, input)).chosen).toBe(second)
    }
    return { before, after: await countStatements() }
  })

  expect(after).toEqual(before)
})

/** Counts the statements of the application on the tables that decisions depend on. */
function countStatements(): Promise<unknown> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select sum(calls) as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
         and userid::regrole::text = 'switchyard_app'
         and query ~ 'payment_route|provider_accounts|routing_versions'`,
    )
    return rows
  })
}

test('rules get the known operands of a payment, and unknown operands are omitted', () => {
  const facts: PaymentFacts = {
    amount: 1299n,
    currency: 'eur',
    purpose: 'payment',
    initiator: 'merchant',
    recurring: 'subsequent',
    captureMethod: 'manual',
    threeDSecure: 'required',
    billingCountry: 'DE',
    paymentLinkId: 'a link',
    checkoutSessionId: 'a session',
    invoiceId: null,
    priceId: 'a price',
    lastProviderAccountId: null,
    card: { brand: 'visa', funding: 'debit', country: null, issuer: 'A bank', bin: '424242' },
    customer: { id: 'a customer', country: 'AT', metadata: { tier: 'gold' } },
    metadata: { shop: 'north' },
    // A Sunday.
    createdAt: new Date('2026-11-15T23:30:00.000Z'),
  }
  const expected: Trace['operands'] = {
    amount: 1299,
    currency: 'eur',
    purpose: 'payment',
    initiator: 'merchant',
    recurring: 'subsequent',
    channel: 'payment_link',
    capture_method: 'manual',
    three_d_secure: 'required',
    'method.type': 'card',
    'card.brand': 'visa',
    'card.funding': 'debit',
    'card.bin': '424242',
    'billing.country': 'DE',
    'customer.id': 'a customer',
    'customer.country': 'AT',
    'customer.metadata.tier': 'gold',
    payment_link_id: 'a link',
    price_id: 'a price',
    'card.issuer': 'A bank',
    'metadata.shop': 'north',
    'created.hour': 23,
    'created.weekday': 7,
  }

  expect(operandsOf(facts)).toEqual(expected)
})

test('a payment keeps its revision, whatever is published later', async () => {
  const { workspace, first, second, routeTo } = await setUp()
  const { body: route } = await workspace.post('/payment-routes', routeTo(first, second))
  await workspace.put(`/payment-routes/${route.id}`, routeTo(second, first))
  const { deps } = switchyard
  const id = workspace.workspaceId as Id<'workspace'>

  const { chosen } = await transact(deps, systemCaller({ workspaceId: id, id }), async (tx) =>
    decideFor(deps, tx, await pinnedRoute(deps, tx, route.id, 1), input),
  )

  expect(chosen).toBe(first)
})
