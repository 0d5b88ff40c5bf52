// Two data shards behind one control plane, over HTTP: each workspace is on one shard, and nothing else depends on it.

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { signalBreaker } from '../../src/domains/routing/provider-accounts/service/breaker.ts'
import { HealthMonitor } from '../../src/domains/routing/provider-accounts/service/health-monitor.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, slotOf, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { spreadSlots } from '../../src/platform/db/placements.ts'
import { read, transact } from '../../src/platform/db/unit-of-work.ts'
import { connectEngine, startWorkers } from '../../src/platform/engine/engine.ts'
import { createOps } from '../../src/platform/http/ops.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { readinessOf, watchDatabases } from '../../src/readiness.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { createAttachedMethod } from '../support/payment-methods.ts'
import { receiverForThisFile } from '../support/receiver.ts'
import { type DatabaseName, newShards } from '../support/shards.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const receiver = await receiverForThisFile()
const shards = await newShards()
const switchyard = await switchyardForThisFile({
  environment: { ...shards.environment, SIMULATOR_URL: simulator.url },
})
const { deps } = switchyard

const idOf = ({ workspaceId }: { workspaceId: string }) => workspaceId as Id<'workspace'>
const callerOf = (workspace: Workspace) => systemCaller({ workspaceId: idOf(workspace), id: idOf(workspace) })
const shardOf = (workspace: { workspaceId: string }) => deps.databases.of(idOf(workspace)).name

/** One workspace on each shard. */
async function newWorkspaces(): Promise<{ a: Workspace; b: Workspace }> {
  const found = new Map<string, Workspace>()
  while (found.size < 2) {
    const workspace = await switchyard.newWorkspace()
    found.set(shardOf(workspace), workspace)
  }
  return { a: found.get('a') as Workspace, b: found.get('b') as Workspace }
}

const rowsIn = (name: DatabaseName, table: string, { workspaceId }: { workspaceId: string }) =>
  asOwner(shards.urlOf(name), async (client) => {
    const text = `select from ${table} where workspace_id = $1`
    return (await client.query(text, [uuidOf(workspaceId as Id<'workspace'>)])).rowCount
  })

const pay = async ({ post }: Workspace) => {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  return post('/payments', { amount: 1299, currency: 'eur', token: token.id })
}

/** A card payment, a webhook, a renewal of a subscription, a search and the audit log. */
async function useEverything(workspace: Workspace, path: string): Promise<void> {
  const { get, post } = workspace
  await workspace.anEndpoint(receiver.at(path))
  const customerId = await workspace.aCustomer({ name: `Customer of ${path}` })
  const payment = await pay(workspace)
  expect(payment).toMatchObject({ status: 201, body: { status: 'succeeded' } })
  await createAttachedMethod(workspace, customerId)
  const { body: product } = await post('/products', { name: 'Team plan' })
  const recurring = { interval: 'month' }
  const { body: price } = await post('/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: 2999,
    recurring,
  })
  const subscription = await post('/subscriptions', {
    customer_id: customerId,
    items: [{ price_id: price.id }],
  })
  expect(subscription.status).toBe(201)
  await switchyard.settle()
  switchyard.clock.advance({ days: 32 })
  await switchyard.settle()

  const { body: invoices } = await get(`/invoices?subscription_id=${subscription.body.id}`)
  expect(invoices.data.map(({ status }: { status: string }) => status)).toEqual(['paid', 'paid'])
  expect(receiver.requests.filter((request) => request.path === path)).not.toEqual([])
  const { body: found } = await get(`/search?q=${encodeURIComponent(customerId)}`)
  expect(found.data).toMatchObject([{ id: customerId }])
  const { body: audit } = await get('/audit-entries')
  expect(audit.data).not.toEqual([])
}

test('new workspaces are distributed over the shards, and all of their rows are on one of them', {
  timeout: 60_000,
}, async () => {
  const { a, b } = await newWorkspaces()

  await useEverything(a, '/on-a')
  await useEverything(b, '/on-b')

  for (const table of ['workspaces', 'payments', 'events', 'invoices', 'audit_entries']) {
    expect(await rowsIn('a', table, a), table).toBeGreaterThan(0)
    expect(await rowsIn('b', table, b), table).toBeGreaterThan(0)
    expect(await rowsIn('b', table, a), table).toBe(0)
    expect(await rowsIn('a', table, b), table).toBe(0)
    expect(await rowsIn('control', table, a), table).toBe(0)
  }
})

test('an organization with workspaces on both shards signs in and sees both', async () => {
  const organization = await switchyard.newOrganization()
  expect(new Set([shardOf(organization.live), shardOf(organization.test)])).toEqual(new Set(['a', 'b']))

  const { session } = await switchyard.signIn(organization)

  expect(session.workspaces).toHaveLength(2)
})

test('while the control plane is stopped, payments continue, and sign-in gets 503 with the reason', {
  timeout: 60_000,
}, async () => {
  const { a, b } = await newWorkspaces()
  const { email, password } = await switchyard.newOrganization()
  await Promise.all([pay(a), pay(b)])
  shards.stop('control')

  const [onA, onB, signIn] = await Promise.all([
    pay(a),
    pay(b),
    switchyard.openBrowser().signIn(email, password),
  ])
  shards.start('control')

  expect([onA.status, onB.status]).toEqual([201, 201])
  expect(signIn).toMatchObject({
    status: 503,
    body: {
      code: 'unavailable',
      detail: expect.stringMatching(/^The database of the control plane does not/),
    },
  })
  expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
})

test('a workspace of one shard cannot be used with the token of another', async () => {
  const { a, b } = await newWorkspaces()
  const id = await a.aCustomer()

  expect((await a.get(`/customers/${id}`)).status).toBe(200)
  expect((await b.get(`/customers/${id}`)).status).toBe(404)
})

test('while one shard is stopped, its workspaces get 503 and the others are served', {
  timeout: 60_000,
}, async () => {
  const { a, b } = await newWorkspaces()
  shards.stop('b')

  const [onA, onB] = await Promise.all([pay(a), b.post('/customers', {})])
  shards.start('b')

  expect(onA.status).toBe(201)
  expect(onB).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await pay(b)).status).toBe(201)
})

test('while the first shard is stopped, workspaces of the other get provider webhooks, and their requests are logged', {
  timeout: 60_000,
}, async () => {
  const { a, b } = await newWorkspaces()
  const { body: accounts } = await b.get('/provider-accounts')
  const sendWebhook = () =>
    fetch(`${b.address}/provider-webhooks/${accounts.data[0].id}`, { method: 'POST', body: '{}' })
  const loggedOn = async (workspace: Workspace, path: string) =>
    (await workspace.get('/requests?limit=100')).body.data.filter(
      (request: { path: string }) => request.path === path,
    ).length
  const before = await sendWebhook()
  shards.stop('a')
  // The lines of both are written at the same time.
  await Promise.all([a.get('/customers?limit=7'), b.get('/customers?limit=7')])

  const during = await sendWebhook()
  await expect.poll(() => loggedOn(b, '/customers')).toBeGreaterThan(0)
  shards.start('a')

  expect(before.status).toBeLessThan(500)
  expect(during.status).toBe(before.status)
})

test('the process is ready while one database is missing, and not while both shards are', {
  timeout: 60_000,
}, async () => {
  const noteOn = (name: DatabaseName) =>
    expect.stringMatching(new RegExp(`^${name}: Postgres does not respond`))
  const readinessWithout = async (...names: DatabaseName[]) => {
    for (const name of names) shards.stop(name)
    const readiness = await readinessOf(switchyard)
    for (const name of names) shards.start(name)
    return readiness
  }

  expect(await readinessWithout('b')).toMatchObject({
    ready: true,
    notes: expect.arrayContaining([noteOn('b')]),
  })
  expect(await readinessWithout('control')).toMatchObject({
    ready: true,
    notes: expect.arrayContaining([noteOn('control')]),
  })
  expect(await readinessWithout('a', 'b')).toMatchObject({ ready: false })
  await expect.poll(() => readinessOf(switchyard)).toMatchObject({ ready: true, notes: [expect.any(String)] })
})

test('/readyz responds with 200 while only the control plane is stopped, and names it', async () => {
  const ops = createOps(switchyard.metrics, () => readinessOf(switchyard))
  shards.stop('control')

  const during = await ops.inject('/readyz')
  shards.start('control')

  expect(during.statusCode).toBe(200)
  expect(during.json()).toMatchObject({
    status: 'degraded',
    notes: expect.arrayContaining([expect.stringMatching(/^control: /)]),
  })
  expect((await ops.inject('/readyz')).statusCode).toBe(200)
})

test('while one shard does not respond, the request log, circuit breakers and cached routes of the other are current', {
  timeout: 60_000,
}, async () => {
  const { a, b } = await newWorkspaces()
  await Promise.all([pay(a), pay(b)])
  const { body } = await a.get('/provider-accounts')
  const account = { workspaceId: idOf(a), id: body.data[0].id as Id<'provider_account'> }
  const monitor = new HealthMonitor({ deps, metrics: createMetrics(), processes: () => 1 })
  monitor.start()
  shards.hang('b')
  try {
    // A request waits for the shard.
    void b.get('/customers?limit=9').catch(() => {})
    await sleep(2_500)
    const cached = [deps.routing.get(account.workspaceId), deps.routing.get(idOf(b))]
    expect(cached).toEqual([expect.anything(), null])

    await a.get('/customers?limit=9')
    await signalBreaker(deps, account, 'authorize', 'tripped')
    const fetchLines = async () => {
      const { body: log } = await a.get('/requests?limit=100')
      return log.data.filter(({ path }: { path: string }) => path === '/customers').length
    }
    await expect.poll(fetchLines, { timeout: 3_000 }).toBe(1)
    await expect.poll(() => monitor.isOpen(account.id, 'authorize'), { timeout: 3_000 }).toBe(true)
  } finally {
    shards.resume('b')
    await monitor.stop()
  }
  await expect.poll(() => pay(b).then(({ status }) => status)).toBe(201)
})

test('the reconcilers of both shards report their metrics with the name of the shard', {
  timeout: 60_000,
}, async () => {
  const { a, b } = await newWorkspaces()
  const park = (name: DatabaseName, workspace: Workspace, count: number) =>
    asOwner(shards.urlOf(name), (client) =>
      client.query(
        `insert into work_failures (workspace_id, work, object_id, failures, reason, retry_at, parked_at)
         select $1, 'payment.resolve', gen_random_uuid(), 10, 'a test', now(), now() from generate_series(1, $2)`,
        [uuidOf(idOf(workspace)), count],
      ),
    )
  await Promise.all([park('a', a, 1), park('b', b, 2)])
  const metrics = createMetrics()
  const log = createLog('silent')
  const engine = connectEngine({ natsUrl: null, databases: deps.databases, log, metrics })
  const workers = startWorkers(engine, {
    deps,
    workTypes: [],
    ownerUrlOf: ({ name }) => shards.urlOf(name as DatabaseName),
    log,
    metrics,
  })
  const byShard = async (gauge: typeof metrics.workParked) => {
    const { values } = await gauge.get()
    return Object.fromEntries(values.map(({ labels, value }) => [labels.shard, value]))
  }

  await expect.poll(() => byShard(metrics.workParked)).toEqual({ a: 1, b: 2 })
  const times = await byShard(metrics.reconcilerLookedAt)
  expect([times.a, times.b]).toEqual([expect.any(Number), expect.any(Number)])
  await expect.poll(() => byShard(metrics.fenceOldestSeconds)).toEqual({ a: 0, b: 0 })
  await workers.stop()
  await engine.close()
})

test('a process that has not read the map is not ready', async () => {
  const config = readConfig({ ...shards.environment, MASTER_KEYS: testMasterKeys, LOG_LEVEL: 'silent' })
  shards.stop('control')
  const starting = compose(config)

  const readiness = await readinessOf(starting)
  shards.start('control')

  expect(readiness).toMatchObject({ ready: false })
  await starting.close()
})

test('the metrics of a database have the name of the shard', async () => {
  shards.stop('b')
  await watchDatabases(switchyard).stop()
  shards.start('b')

  const { values } = await switchyard.metrics.databaseReachable.get()
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.shard, value]))).toEqual({
    control: 1,
    a: 1,
    b: 0,
  })
})

test('the doctor checks every database, and names the one with a problem', async () => {
  const checkOf = async (id: string) => {
    const { checks } = await deps.runCheckup()
    return checks.find((check) => check.id === id)
  }
  const run = (text: string) => asOwner(shards.urlOf('b'), (client) => client.query(text))
  await run('create table newest as select * from schema_migrations order by name desc limit 1')
  const { rows } = await run(
    'delete from schema_migrations where name in (select name from newest) returning name',
  )
  const [migrations, database] = [await checkOf('migrations'), await checkOf('database')]
  await run('insert into schema_migrations select * from newest; drop table newest')

  expect(database?.detail).toMatch(/^control: PostgreSQL .* a: PostgreSQL .* b: PostgreSQL .*$/)
  expect(migrations).toMatchObject({ status: 'fail', detail: `b: Not applied: ${rows[0].name}.` })
})

test('a process with an outdated map is rejected by the fence, and reads the map again', async () => {
  const { a } = await newWorkspaces()
  const id = idOf(a)
  const nameOf = ({ db }: { db: Parameters<Parameters<typeof read>[2]>[0]['db'] }) =>
    sql<{ name: string }>`select current_database() as name`.execute(db).then(({ rows }) => rows[0]?.name)
  const nameOfB = new URL(shards.urlOf('b')).pathname.slice(1)
  await asOwner(shards.urlOf('a'), (client) =>
    client.query('insert into placements (workspace_id, moved_to, is_open) values ($1, $2, true)', [
      uuidOf(id),
      'b',
    ]),
  )

  expect(shardOf(a)).toBe('a')
  expect(await read(deps, callerOf(a), nameOf)).toBe(nameOfB)
  expect(await transact(deps, callerOf(a), nameOf)).toBe(nameOfB)
  await asOwner(shards.urlOf('control'), (client) =>
    client.query('insert into control.overrides (workspace_id, shard) values ($1, $2)', [uuidOf(id), 'b']),
  )
  await deps.databases.loadMap()
  expect(shardOf(a)).toBe('b')
})

test('slots with workspaces stay where they are when a shard is added, and the others are spread evenly', async () => {
  const { a, b } = await newWorkspaces()
  const owners = ['a', 'b', 'control'].map((name) => ({ name, ownerUrl: shards.urlOf(name as DatabaseName) }))
  const readPlacements = () =>
    asOwner(shards.urlOf('control'), async (client) => {
      const { rows } = await client.query('select slot, shard from control.placements')
      return new Map<number, string>(rows.map(({ slot, shard }) => [slot, shard]))
    })

  await spreadSlots(shards.urlOf('control'), owners)
  const placed = await readPlacements()
  expect(placed.get(slotOf(idOf(a)))).toBe('a')
  expect(placed.get(slotOf(idOf(b)))).toBe('b')
  const counts = owners.map(({ name }) => [...placed.values()].filter((shard) => shard === name).length)
  expect(counts.toSorted()).toEqual([1365, 1365, 1366])
  expect(await spreadSlots(shards.urlOf('control'), owners)).toBe(0)

  await spreadSlots(shards.urlOf('control'), owners.slice(0, 2))
})
