import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { compose } from '../../../compose.ts'
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { asOwner } from '../../../platform/db/owner.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
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
const aQuestion = {
  operands,
  keys: { payment: 'a payment', customer: null, card: null },
  instrument: { hasNumber: true, onlyAt: null },
  tried: [],
}

async function aScene() {
  const workspace = await switchyard.newWorkspace()
  const account = async (name: string): Promise<string> => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const { body } = await workspace.post('/provider-accounts', {
      provider: 'custom',
      display_name: name,
      config,
    })
    return body.id
  }
  const [first, second] = [await account('First'), await account('Second')]
  const routeTo = (...targets: string[]) => ({ name: 'A route', default: { type: 'priority', targets } })
  return { workspace, first, second, routeTo }
}

/** As a payment does it, in its own unit. */
function decideIn(deps: Deps, { workspaceId }: Workspace, routeId: string | null = null): Promise<Decision> {
  const id = workspaceId as Id<'workspace'>
  return transact(deps, systemCaller({ workspaceId: id, id }), async (tx) =>
    decideFor(deps, tx, await routeFor(deps, tx, routeId), aQuestion),
  )
}

/** Another process as far as memory goes: nothing is shared but the database, and there is no NATS. */
function anotherProcess() {
  return compose(switchyard.config, { clock: switchyard.clock, publish: () => {} })
}

test('without a default route accounts are asked in their order, with one as it says, and archived none', async () => {
  const { workspace, first, second, routeTo } = await aScene()
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

test('a change is seen at once by the process that made it', async () => {
  const { workspace, first, second } = await aScene()
  const { deps } = switchyard
  expect((await decideIn(deps, workspace)).chosen).toBe(first)

  await workspace.post(`/provider-accounts/${first}/hold`, {
    reason: 'x',
    until_at: '2026-11-14T13:00:00.000Z',
  })
  expect((await decideIn(deps, workspace)).chosen).toBe(second)
  // Nobody has to release it: its end is part of what is remembered.
  switchyard.clock.advance({ hours: 1 })
  expect((await decideIn(deps, workspace)).chosen).toBe(first)
  await workspace.post(`/provider-accounts/${first}/disable`)
  expect((await decideIn(deps, workspace)).chosen).toBe(second)
})

test('what is published in one process is soon decided by in another, without NATS', async () => {
  const { workspace, first, second, routeTo } = await aScene()
  const other = anotherProcess()
  try {
    const { body: route } = await workspace.post('/payment-routes', {
      ...routeTo(first, second),
      is_default: true,
    })
    expect((await decideIn(other.deps, workspace)).chosen).toBe(first)

    for (const [revision, wanted] of [
      [2, second],
      [3, first],
      [4, second],
    ] as const) {
      const targets = wanted === first ? [first, second] : [second, first]
      await workspace.put(`/payment-routes/${route.id}`, { default: { type: 'priority', targets } })
      const seen = () => decideIn(other.deps, workspace)
      await expect
        .poll(async () => (await seen()).trace.revision, { timeout: 10_000, interval: 50 })
        .toBe(revision)
      expect((await seen()).chosen).toBe(wanted)
    }
  } finally {
    await other.close()
  }
}, 30_000)

test('what was remembered is not used when it could not be confirmed', async () => {
  const { workspace, first } = await aScene()
  const other = anotherProcess()
  try {
    expect((await decideIn(other.deps, workspace)).chosen).toBe(first)
    // As if the process could not ask any more.
    other.deps.routing.stop()
    await workspace.post(`/provider-accounts/${first}/disable`)

    const chosen = async () => (await decideIn(other.deps, workspace)).chosen
    await expect.poll(chosen, { timeout: 10_000, interval: 100 }).not.toBe(first)
  } finally {
    await other.close()
  }
})

test('decisions ask the database for nothing', async () => {
  const { workspace, first, second, routeTo } = await aScene()
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
    const before = await statementsSeen()
    for (let turn = 0; turn < 1_000; turn += 1) {
      const pinned = await pinnedRoute(deps, tx, route.id, 1)
      expect(await routeFor(deps, tx, null)).toBe(pinned)
      expect((await decideFor(deps, tx, pinned, aQuestion)).chosen).toBe(second)
    }
    return { before, after: await statementsSeen() }
  })

  expect(after).toEqual(before)
})

/** How often the tables that decisions are made from were read by requests. */
function statementsSeen(): Promise<unknown> {
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

test('rules see a payment with what is known of it, and without what is not', () => {
  const facts: PaymentFacts = {
    ...{ amount: 1299n, currency: 'eur', purpose: 'payment', initiator: 'merchant', recurring: 'subsequent' },
    ...{
      captureMethod: 'manual',
      threeDSecure: 'required',
      billingCountry: 'DE',
      paymentLinkId: 'a link',
      lastProviderAccountId: null,
    },
    card: { brand: 'visa', funding: 'debit', country: null, bin: '424242' },
    customer: { id: 'a customer', country: 'AT', metadata: { tier: 'gold' } },
    metadata: { shop: 'north' },
    // A Sunday.
    createdAt: new Date('2026-11-15T23:30:00.000Z'),
  }
  const seen: Trace['operands'] = {
    ...{ amount: 1299, currency: 'eur', purpose: 'payment', initiator: 'merchant', recurring: 'subsequent' },
    ...{ channel: 'api', capture_method: 'manual', three_d_secure: 'required', 'method.type': 'card' },
    ...{ 'card.brand': 'visa', 'card.funding': 'debit', 'card.bin': '424242', 'billing.country': 'DE' },
    ...{ 'customer.id': 'a customer', 'customer.country': 'AT', 'customer.metadata.tier': 'gold' },
    payment_link_id: 'a link',
    ...{ 'metadata.shop': 'north', 'created.hour': 23, 'created.weekday': 7 },
  }

  expect(operandsOf(facts)).toEqual(seen)
})

test('a payment keeps to its revision, whatever was published since', async () => {
  const { workspace, first, second, routeTo } = await aScene()
  const { body: route } = await workspace.post('/payment-routes', routeTo(first, second))
  await workspace.put(`/payment-routes/${route.id}`, routeTo(second, first))
  const { deps } = switchyard
  const id = workspace.workspaceId as Id<'workspace'>

  const { chosen } = await transact(deps, systemCaller({ workspaceId: id, id }), async (tx) =>
    decideFor(deps, tx, await pinnedRoute(deps, tx, route.id, 1), aQuestion),
  )

  expect(chosen).toBe(first)
})
