// The service during a failover of PostgreSQL: a real primary with a real standby, behind one address.

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../../test/flows/support/wait.ts'
import { cardInput } from '../../../test/support/cards.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import { createToken } from '../../../test/support/payment-methods.ts'
import { receiverForThisFile } from '../../../test/support/receiver.ts'
import { standbyName, startReplicatedPostgres } from '../../../test/support/replicated-postgres.ts'
import { honest, scriptedProviderForThisFile } from '../../../test/support/scripted-provider.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { type ApiResponse, switchyardForThisFile } from '../../../test/support/switchyard.ts'
import type { Deps } from '../../deps.ts'
import { assessReplication } from '../../doctor/replication.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { readinessOf, watchDatabases } from '../../readiness.ts'
import { attempt } from '../engine/attempt.ts'
import type { Db } from './databases.ts'
import { asOwner } from './owner.ts'
import { CommitLost } from './retries.ts'
import { transact } from './unit-of-work.ts'

const simulator = await simulatorForThisFile()
const provider = await scriptedProviderForThisFile()
const receiver = await receiverForThisFile()
const postgres = await startReplicatedPostgres()
const { primary, standby } = postgres
const address = await startFaultProxy(primary.port)
const switchyard = await switchyardForThisFile({
  environment: { DATABASE_URL: address.url(primary.url), DATABASE_POOL: '4', SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 10_000, requestMs: 1_500 } },
})
const { databases } = switchyard.deps
afterAll(async () => {
  address.close()
  await postgres.stop()
})

/** Runs a statement directly on the primary, whatever server the address leads to. */
const onPrimary = async (statement: string) =>
  (await asOwner(primary.url, (client) => client.query(statement))).rows

beforeEach(async () => {
  address.redirect(primary.port)
  await postgres.setSynchronousStandbys('')
})
afterEach(async () => {
  await postgres.setSynchronousStandbys('')
  await until('writes are accepted', () => !databases.control.isReadOnly())
})

/** A workspace without pending commits: the use of its token and its requests are stored. */
async function newWorkspace() {
  const workspace = await switchyard.newWorkspace()
  await workspace.get('/customers')
  const id = uuidOf(workspace.workspaceId as Id<'workspace'>)
  await until('the use of the token is stored', async () => {
    const rows = await onPrimary(`select last_used_at from api_tokens where workspace_id = '${id}'`)
    return rows[0].last_used_at !== null
  })
  await switchyard.flushRequestLog()
  return workspace
}

const namesIn = async (get: (path: string) => Promise<{ body: { data: { name: string }[] } }>) =>
  (await get('/customers?limit=100')).body.data.map(({ name }) => name)

/** Connections of the service that wait for a standby. */
const commitsWaiting = async () =>
  (await onPrimary(`select pid from pg_stat_activity where wait_event = 'SyncRep'`)).length

/** Requests that use every connection of the pool. */
async function readConcurrently(get: (path: string) => Promise<{ status: number }>): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: 12 }, () => get('/customers')))
  return responses.map(({ status }) => status)
}

const rejectedWrites = () => postgres.standbyLog().split('in a read-only transaction').length - 1

test('a write that reaches a standby runs again, until the address leads to the primary', async () => {
  const { post, get } = await newWorkspace()
  await postgres.waitForStandby()
  address.redirect(standby.port)
  address.cut()
  // A standby serves reads.
  expect(await readConcurrently(get)).toEqual(Array(12).fill(200))

  const writing = post('/customers', { name: 'Ada' })
  await sleep(500)
  address.redirect(primary.port)

  expect(await writing).toMatchObject({ status: 201 })
  expect(await namesIn(get)).toEqual(['Ada'])
})

const cardToken = { type: 'card', card: cardInput }

test('a card that reaches a standby is stored as soon as the address leads to the primary, and gets 503 until then', async () => {
  const { post } = await newWorkspace()
  await postgres.waitForStandby()
  address.redirect(standby.port)
  address.cut()
  expect(await post('/tokens', cardToken)).toMatchObject({ status: 503, body: { code: 'unavailable' } })

  const storing = post('/tokens', cardToken)
  await sleep(500)
  address.redirect(primary.port)

  expect(await storing).toMatchObject({ status: 201 })
})

test('a connection that is lost at any step of a request causes a retry or 503, never another error', {
  timeout: 120_000,
}, async () => {
  const { post, anEndpoint } = await newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  const unexpected: string[] = []
  /** Loses the connection at every second message, until the request has no more messages. */
  const callUntilNotCut = async (prepare: () => Promise<() => Promise<ApiResponse>>) => {
    for (let number = 1, isCut = true; isCut; number += 2) {
      const call = await prepare()
      const wasCut = address.cutAtMessage(number, number % 4 === 1 ? 'end' : 'reset')
      const { status, body } = await call()
      if (status >= 400 && status !== 503) unexpected.push(`message ${number}: ${status} ${body.detail}`)
      isCut = wasCut()
    }
  }

  await callUntilNotCut(async () => {
    const { body } = await post('/tokens', cardToken)
    return () => post('/payments', { amount: 100, currency: 'eur', token: body.id })
  })
  await callUntilNotCut(async () => () => post(`/webhook-endpoints/${endpointId}/test`))

  expect(unexpected).toEqual([])
})

test('after the first rejected write, no connection leads to the standby', async () => {
  const { post } = await newWorkspace()
  await postgres.waitForStandby()
  address.redirect(standby.port)
  address.cut()
  // These reads use every connection of the pool, and are not stored in the request log.
  await until('the connections are replaced', () =>
    databases.control.time().then(
      () => true,
      () => false,
    ),
  )
  await Promise.all(Array.from({ length: 12 }, () => databases.control.time()))
  address.redirect(primary.port)
  const rejectedBefore = rejectedWrites()

  expect(await post('/customers', { name: 'Ada' })).toMatchObject({ status: 201 })
  const writes = await Promise.all(Array.from({ length: 8 }, (_, n) => post('/customers', { name: `${n}` })))

  expect(writes.map(({ status }) => status)).toEqual(Array(8).fill(201))
  expect(rejectedWrites() - rejectedBefore).toBe(1)
})

test('while there is only a standby, writes get 503 after about 3 seconds, and the process is not ready', async () => {
  const { post } = await newWorkspace()
  await postgres.waitForStandby()
  address.redirect(standby.port)
  address.cut()

  const startedMs = performance.now()
  const response = await post('/customers', { name: 'Ada' })
  const tookMs = performance.now() - startedMs

  expect(response).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(response.headers.get('retry-after')).toBe('1')
  expect(response.body.detail).not.toContain('may have had an effect')
  expect(tookMs).toBeGreaterThan(2_500)
  expect(await readinessOf(switchyard)).toMatchObject({
    ready: false,
    notes: [expect.stringContaining('is a standby')],
  })
  address.redirect(primary.port)
  address.cut()
  await expect.poll(() => readinessOf(switchyard)).toMatchObject({ ready: true })
})

test('requests wait up to 3 seconds while no server accepts connections', async () => {
  const { post, get } = await newWorkspace()
  address.redirect(null)
  address.cut()
  const writing = post('/customers', { name: 'Ada' })
  const reading = get('/customers')
  await sleep(1_800)
  address.redirect(primary.port)

  expect(await writing).toMatchObject({ status: 201 })
  expect(await reading).toMatchObject({ status: 200 })

  address.redirect(null)
  address.cut()
  const refused = await post('/customers', { name: 'Grace' })
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(refused.headers.get('retry-after')).toBe('1')
  address.redirect(primary.port)
  expect(await namesIn(get)).toEqual(['Ada'])
})

/** A workspace that pays with the scripted provider. The provider has received no request. */
async function payer() {
  const workspace = await newWorkspace()
  const simulated = (await workspace.get('/provider-accounts')).body.data
  for (const { id } of simulated) await workspace.post(`/provider-accounts/${id}/disable`)
  const config = { base_url: provider.url }
  await workspace.post('/provider-accounts', { provider: 'custom', display_name: 'Custom', config })
  const prepare = async (key: string, description = 'An order') => {
    const order = { amount: 1299, currency: 'eur', token: await createToken(workspace), description }
    provider.requests.length = 0
    return () => workspace.post('/payments', order, { headers: { 'Idempotency-Key': key } })
  }
  return { prepare, get: workspace.get }
}

test('the result of a charge is recorded when the database is available again, even after more than 3 seconds', async () => {
  const { prepare } = await payer()
  const pay = await prepare('order')
  provider.answer = (response, request) => {
    address.redirect(null)
    address.cut()
    setTimeout(() => address.redirect(primary.port), 4_500)
    honest(response, request)
  }

  const response = await pay()
  provider.answer = honest

  expect(response).toMatchObject({ status: 201, body: { status: 'succeeded' } })
  expect(provider.sent()).toBe(1)
})

test('if the result of the first commit is lost and the database is unavailable, a repeated request does not wait for a lease', async () => {
  const { prepare, get } = await payer()
  const pay = await prepare('order', 'The first order')
  address.becomeUnreachableAfterCommitOf('The first order')

  const first = await pay()
  address.redirect(primary.port)
  const requestsBefore = provider.sent()
  let again = await pay()
  const startedMs = performance.now()
  while (again.status !== 201 && performance.now() - startedMs < 15_000) {
    await sleep(100)
    again = await pay()
  }

  expect(first).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('may have had an effect') },
  })
  expect(requestsBefore).toBe(0)
  // The payment was created once. It may not have been sent yet.
  expect(again).toMatchObject({ status: 201, body: { description: 'The first order' } })
  expect((await get('/payments')).body.data).toMatchObject([{ id: again.body.id }])
  expect(provider.sent()).toBeLessThanOrEqual(1)
}, 40_000)

test('after the connection is lost at any step of a payment, a repeated request does not wait for a lease', {
  timeout: 120_000,
}, async () => {
  const { prepare } = await payer()
  const outcomes: string[] = []
  for (let number = 1, isCut = true; isCut; number += 1) {
    const pay = await prepare(`order-${number}`)
    const wasCut = address.cutAtMessage(number, 'reset')
    const first = await pay()
    isCut = wasCut()
    const startedMs = performance.now()
    let again = first.status === 503 ? await pay() : null
    // On a busy machine, PostgreSQL needs a while to notice that the connection was lost. The lease lasts for 60 seconds.
    while (again?.status === 409 && performance.now() - startedMs < 20_000) again = await pay()
    const repeated = again === null ? '' : `, repeated: ${again.status} ${again.body.detail ?? ''}`
    outcomes.push(`message ${number}: ${first.status}${repeated}, sent ${provider.sent()} times`)
  }

  const expected = /: 201, sent [01] times$|: 503, repeated: 201 , sent [01] times$/
  expect(outcomes.filter((outcome) => !expected.test(outcome))).toEqual([])
  expect(outcomes.some((outcome) => outcome.includes('repeated'))).toBe(true)
})

test('entries of the request log are kept while the database is unavailable, and stored once', async () => {
  const { post, get } = await newWorkspace()
  await switchyard.flushRequestLog()
  const lostBefore = (await switchyard.metrics.requestLogDropped.get()).values[0]?.value ?? 0

  const { headers } = await post('/customers', { name: 'Ada' })
  address.redirect(null)
  address.cut()
  const flushed = switchyard.flushRequestLog()
  await sleep(1_200)
  address.redirect(primary.port)
  await flushed
  // The result of this commit is lost, so the entry is written again.
  const { headers: second } = await post('/customers', { name: 'Grace' })
  address.dropNextCommitResponse()
  const droppedBefore = address.droppedCount()
  await switchyard.flushRequestLog()

  expect(address.droppedCount()).toBe(droppedBefore + 1)
  expect(await get(`/requests/${headers.get('request-id')}`)).toMatchObject({ status: 200 })
  expect(await get(`/requests/${second.get('request-id')}`)).toMatchObject({ status: 200 })
  expect((await switchyard.metrics.requestLogDropped.get()).values[0]?.value ?? 0).toBe(lostBefore)
})

/** Cancels the commits that wait for a standby, like an operator, or a timeout of the server. */
async function cancelWaitingCommits(count: number): Promise<void> {
  await until(`${count} commits wait`, async () => (await commitsWaiting()) >= count)
  await onPrimary(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
}

test('a commit whose wait for a standby is canceled is not treated as a success', async () => {
  const { post, get } = await newWorkspace()
  await postgres.setSynchronousStandbys('missing')

  const writing = post('/customers', { name: 'Ada' })
  await cancelWaitingCommits(1)
  const response = await writing

  expect(response).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('may have had an effect') },
  })
  // A promoted standby would not have the customer, but this server has.
  expect(await namesIn(get)).toEqual(['Ada'])
})

test('with an idempotency key, such a request gets its stored response, but only after a standby has confirmed it', async () => {
  const { post, get } = await newWorkspace()
  await postgres.setSynchronousStandbys('missing')
  const withKey = { headers: { 'Idempotency-Key': 'signup' } }

  const writing = post('/customers', { name: 'Ada' }, withKey)
  await cancelWaitingCommits(1)
  const first = await Promise.race([writing, sleep(500)])
  await postgres.setSynchronousStandbys(standbyName)
  const response = await writing

  expect(first).toBeUndefined()
  expect(response).toMatchObject({ status: 201, body: { name: 'Ada' } })
  expect(await namesIn(get)).toEqual(['Ada'])
  await postgres.setSynchronousStandbys('')
  await until('writes are accepted', () => !databases.control.isReadOnly())
  const repeated = await post('/customers', { name: 'Ada' }, withKey)
  expect(repeated.body).toEqual(response.body)
})

test('background work whose commit is not confirmed is repeated, and not counted as failed', async () => {
  const { workspaceId, get } = await newWorkspace()
  const id = workspaceId as Id<'workspace'>
  const work = {
    name: 'test.write' as const,
    objectKind: 'workspace' as const,
    due: async () => [],
    handle: (deps: Deps) =>
      transact(deps, systemCaller({ workspaceId: id, id }), async (tx) => {
        await sql`select pg_logical_emit_message(true, 'test', 'work')`.execute(tx.db)
      }),
  }
  await postgres.setSynchronousStandbys('missing')

  const handling = attempt(switchyard, work, { ref: { workspaceId: id, id }, failedBefore: false })
  await cancelWaitingCommits(1)

  expect(await handling).toEqual({ status: 'failed', retrySeconds: 5 })
  expect(await onPrimary(`select * from work_failures where workspace_id = '${uuidOf(id)}'`)).toEqual([])
  expect(await get('/customers')).toMatchObject({ status: 200 })
})

test.each([
  ['a transaction', (body: (db: Db) => Promise<unknown>) => databases.control.as('switchyard_log', body)],
  [
    'a single statement',
    (body: (db: Db) => Promise<unknown>) => databases.control.withDeliveryConnection(body),
  ],
])('%s outside of a unit of work that is not confirmed fails', async (_, run) => {
  await postgres.setSynchronousStandbys('missing')

  const running = run((db) => sql`select pg_logical_emit_message(true, 'test', 'work')`.execute(db))
  const failing = expect(running).rejects.toThrow(CommitLost)
  await cancelWaitingCommits(1)
  await failing

  expect(databases.control.isReadOnly()).toBe(true)
  const refused = run((db) => sql`update workspaces set name = name`.execute(db))
  await expect(refused).rejects.toMatchObject({ code: 'read_only' })
})

test('while commits wait for a standby, writes are refused, reads continue, and no connection is occupied', {
  timeout: 60_000,
}, async () => {
  const { post, get } = await newWorkspace()
  await post('/customers', { name: 'before' })
  const browser = await switchyard.signIn(await switchyard.newOrganization())
  await postgres.setSynchronousStandbys('missing')
  const startedMs = performance.now()

  // Send more requests than the pool has connections.
  const waiting = await Promise.all(
    Array.from({ length: 8 }, (_, n) => post('/customers', { name: `waiting ${n}` })),
  )
  const waitedMs = performance.now() - startedMs
  const refusedMs = performance.now()
  const refused = await post('/customers', { name: 'refused' })
  const refusalTookMs = performance.now() - refusedMs
  const reads = await Promise.all(Array.from({ length: 8 }, () => get('/customers')))

  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set([503]))
  expect(new Set(waiting.map(({ body }) => body.code))).toEqual(new Set(['unavailable', 'read_only']))
  expect(waitedMs).toBeGreaterThan(2_000)
  expect(waitedMs).toBeLessThan(10_000)
  expect(refused).toMatchObject({ status: 503, body: { code: 'read_only', retryable: true } })
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(refusalTookMs).toBeLessThan(1_000)
  expect(reads.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(databases.control.stats().waiting).toBe(0)
  // A person who is signed in can continue to read.
  expect(await browser.get('/session')).toMatchObject({ status: 200 })
  expect(await readinessOf(switchyard)).toMatchObject({
    ready: true,
    notes: expect.arrayContaining([expect.stringContaining('writes are refused')]),
  })
  expect((await switchyard.metrics.databaseReadOnly.get()).values[0]?.value).toBe(1)

  await postgres.setSynchronousStandbys(standbyName)
  await until('writes are accepted', () => !databases.control.isReadOnly())
  expect(await post('/customers', { name: 'after' })).toMatchObject({ status: 201 })
  expect((await switchyard.metrics.databaseReadOnly.get()).values[0]?.value).toBe(0)
  // The waiting write is committed now; the refused one is not.
  const names = await namesIn(get)
  const certain = waiting.filter(({ body }) => body.code === 'unavailable').length
  expect(names.filter((name) => name.startsWith('waiting'))).toHaveLength(certain)
  expect(names).not.toContain('refused')
})

test('metrics and the doctor report the role, the standbys, their lag and waiting commits', async () => {
  const gauge = async (name: 'databaseIsStandby' | 'databaseIsSynchronous' | 'databaseLagBytes') =>
    (await switchyard.metrics[name].get()).values[0]?.value
  const standbysIn = async (state: string) =>
    (await switchyard.metrics.databaseStandbys.get()).values.find(({ labels }) => labels.state === state)
      ?.value
  await postgres.setSynchronousStandbys(standbyName)
  await expect
    .poll(async () => (await databases.control.status()).standbys)
    .toEqual([{ name: standbyName, syncState: 'sync', lagBytes: expect.any(Number), lagSeconds: null }])
  await watchDatabases(switchyard).stop()
  expect([await gauge('databaseIsStandby'), await gauge('databaseIsSynchronous')]).toEqual([0, 1])
  expect([await standbysIn('sync'), await standbysIn('async')]).toEqual([1, 0])
  expect(await gauge('databaseLagBytes')).toBeLessThan(1_048_576)
  expect(assessReplication(await databases.control.status())).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^Standbys: standby_1 \(sync, 0 MB behind\)\.$/),
  })

  await postgres.setSynchronousStandbys('missing')
  expect(assessReplication(await databases.control.status())).toMatchObject({
    status: 'fail',
    detail: 'No synchronous standby is connected, so every commit waits.',
  })
  address.redirect(standby.port)
  address.cut()
  await expect.poll(() => databases.control.status()).toMatchObject({ isStandby: true, standbys: [] })
  await watchDatabases(switchyard).stop()
  expect(await gauge('databaseIsStandby')).toBe(1)
  address.redirect(primary.port)
  address.cut()
})

test('the doctor reports commits that wait, a standby that lags behind and a user who cannot see standbys', () => {
  const healthy = {
    now: new Date(),
    isStandby: false,
    isSynchronous: true,
    standbys: [{ name: 'a', syncState: 'sync', lagSeconds: 0, lagBytes: 0 }],
    waitingCommits: 0,
    longestCommitWaitMs: 0,
  }
  const [standbyA] = healthy.standbys
  expect(assessReplication(healthy).status).toBe('ok')
  expect(assessReplication({ ...healthy, waitingCommits: 1, longestCommitWaitMs: 4_000 })).toMatchObject({
    status: 'fail',
    detail: '1 commit waits for a synchronous standby, for up to 4 s. Writes are refused.',
  })
  expect(
    assessReplication({
      ...healthy,
      standbys: [{ ...standbyA, name: 'a', syncState: 'sync', lagSeconds: 9, lagBytes: 300 * 1_048_576 }],
    }),
  ).toMatchObject({
    status: 'warn',
    detail: 'Standbys that are behind: a (sync, 300 MB behind).',
  })
  expect(
    assessReplication({
      ...healthy,
      standbys: [{ name: '', syncState: null, lagSeconds: null, lagBytes: null }],
    }),
  ).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('pg_monitor'),
  })
})

test('a process that has not written refuses writes too, as soon as it detects that commits of other processes wait', async () => {
  await postgres.setSynchronousStandbys('missing')
  const other = asOwner(primary.url, (client) => client.query('create table if not exists waits (id int)'))
  await until('the commit waits', async () => (await commitsWaiting()) > 0)
  await sleep(2_100)

  await watchDatabases(switchyard).stop()

  expect(databases.control.isReadOnly()).toBe(true)
  await postgres.setSynchronousStandbys('')
  await other
})
