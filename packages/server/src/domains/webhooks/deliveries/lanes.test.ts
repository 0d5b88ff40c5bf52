// Lanes: endpoints while a process serves them, including races with other requests and processes.

import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidFromText } from '../../../kernel/id.ts'
import type { Db, Shard } from '../../../platform/db/databases.ts'
import { createLog } from '../../../platform/log.ts'
import { createMetrics } from '../../../platform/metrics.ts'
import { LaneDispatcher } from './service/lane-dispatcher.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

const serve = ({ workspaceId }: Workspace, id: string) =>
  switchyard.deps.webhookDispatcher.serve({
    workspaceId: workspaceId as Id<'workspace'>,
    id: id as Id<'webhook_endpoint'>,
  })
const requestsTo = (path: string) => receiver.requests.filter((request) => request.path === path)
const query = (text: string, id: string) =>
  asOwner(switchyard.databaseUrl, (client) =>
    client.query(text, [uuidFromText('webhook_endpoint', 'test', id)]),
  )

test('a delivery that becomes due just after the lane has found nothing due is sent', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/bell'))
  const shard = switchyard.deps.databases.shards[0] as { -readonly [M in keyof Shard]: Shard[M] }
  const { withDeliveryConnection } = shard
  const [hasRead, mayContinue] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  shard.withDeliveryConnection = async <T>(body: (db: Db) => Promise<T>) => {
    const result = await withDeliveryConnection(body)
    hasRead.resolve()
    await mayContinue.promise
    return result
  }

  const served = serve(workspace, id)
  await hasRead.promise
  await workspace.aCustomer()
  await serve(workspace, id)
  shard.withDeliveryConnection = withDeliveryConnection
  mayContinue.resolve()
  await served

  expect(requestsTo('/bell')).toHaveLength(1)
})

test('a rate limit also applies between the last request and the next time the endpoint is served', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.anEndpoint(receiver.at('/paced'), { rate_limit: 4 })
  const startedMs = performance.now()
  for (let nth = 0; nth < 4; nth += 1) {
    await workspace.aCustomer()
    await switchyard.settle()
  }

  expect(requestsTo('/paced')).toHaveLength(4)
  expect(performance.now() - startedMs).toBeGreaterThan(700)
})

test('consecutive failures of separate deliveries open the breaker', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/down'))
  receiver.answer = () => ({ status: 500 })
  for (let nth = 0; nth < 5; nth += 1) {
    await workspace.aCustomer()
    await switchyard.settle()
  }

  expect((await workspace.get(`/webhook-endpoints/${id}`)).body.health.state).toBe('open')
})

test('a response from the previous URL does not affect the health of the new URL', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/old'))
  receiver.answer = ({ path }) => (path === '/old' ? { status: 410, delayMs: 500 } : {})
  await workspace.aCustomer()
  const served = serve(workspace, id)
  await expect.poll(() => requestsTo('/old')).toHaveLength(1)

  await workspace.put(`/webhook-endpoints/${id}`, { url: receiver.at('/new') })
  await served
  switchyard.clock.advance({ seconds: 2 })
  await switchyard.settle()

  const { body } = await workspace.get(`/webhook-endpoints/${id}`)
  expect(body).toMatchObject({ status: 'enabled', health: { state: 'healthy' } })
  expect(requestsTo('/new')).toHaveLength(1)
})

test('an event that is created while held deliveries are released is sent after them', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/order'), { ordering: 'object' })
  const customer = await workspace.aCustomer()
  await switchyard.settle()
  await workspace.post(`/webhook-endpoints/${id}/disable`)
  await workspace.put(`/customers/${customer}`, { name: 'a' })
  await switchyard.settle()
  await workspace.post(`/webhook-endpoints/${id}/enable`, {})
  await workspace.put(`/customers/${customer}`, { name: 'b' })
  await serve(workspace, id)
  await switchyard.settle()

  const events = requestsTo('/order').map(({ body }) => JSON.parse(JSON.parse(body).data))
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
})

test('later events of an object do not wait for the retry time of an earlier one that was resent successfully', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/behind'), { ordering: 'object' })
  receiver.answer = () => ({ status: 404 })
  const customer = await workspace.aCustomer()
  await switchyard.settle()
  await workspace.put(`/customers/${customer}`, { name: 'a' })
  receiver.clear()
  const [first] = await workspace.deliveriesTo(id)
  await workspace.post(`/deliveries/${first.id}/resend`)
  await switchyard.settle()

  const states = (await workspace.deliveriesTo(id)).map(({ state }: { state: string }) => state)
  expect(states).toEqual(['delivered', 'delivered'])
})

test('a failed test event is not sent again by a recovery', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/test-event'))
  receiver.answer = () => ({ status: 500 })
  await workspace.post(`/webhook-endpoints/${id}/test`, {})
  receiver.clear()
  const since_at = new Date(Date.now() - 3_600_000).toISOString()
  const { status } = await workspace.post(`/webhook-endpoints/${id}/recover`, { since_at })
  await switchyard.settle()

  expect(status).toBeLessThan(300)
  expect(requestsTo('/test-event')).toEqual([])
})

test('a locked lane does not delay the results of other lanes', async () => {
  const workspace = await switchyard.newWorkspace()
  const [locked, unlocked] = [
    await workspace.anEndpoint(receiver.at('/locked')),
    await workspace.anEndpoint(receiver.at('/unlocked')),
  ]
  receiver.answer = () => ({ delayMs: 500 })
  await workspace.aCustomer()
  const served = [locked, unlocked].map((id) => serve(workspace, id))
  await expect.poll(() => receiver.requests).toHaveLength(2)
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from webhook_lanes where id = $1 for update', [
      uuidFromText('webhook_endpoint', 'test', locked),
    ])
    const stateOf = async (id: string) => (await workspace.deliveriesTo(id))[0].state
    await expect.poll(() => stateOf(unlocked), { timeout: 5_000 }).toBe('delivered')
    await expect.poll(() => stateOf(locked)).toBe('delivered')
    await client.query('rollback')
  })
  await Promise.all(served)

  const { rows } = await query('select owner from webhook_lanes where id = $1', locked)
  expect(rows).toEqual([{ owner: null }])
})

test('an endpoint whose secrets cannot be decrypted is paused, and others are served', async () => {
  const workspace = await switchyard.newWorkspace()
  const [broken, healthy] = [
    await workspace.anEndpoint(receiver.at('/broken')),
    await workspace.anEndpoint(receiver.at('/healthy')),
  ]
  await query(`update webhook_secrets set sealed = '\\x00' where webhook_endpoint_id = $1`, broken)
  await workspace.aCustomer()
  await Promise.all([broken, healthy].map((id) => serve(workspace, id)))

  expect(requestsTo('/healthy')).toHaveLength(1)
  expect(requestsTo('/broken')).toEqual([])
  const { rows } = await query('select rest_until from webhook_lanes where id = $1', broken)
  expect(rows[0]?.rest_until).not.toBeNull()
})

test('serving an endpoint that does not exist returns immediately', async () => {
  const workspace = await switchyard.newWorkspace()
  const other = await switchyard.newWorkspace()
  const id = await other.anEndpoint(receiver.at('/nobody'))

  await serve(workspace, id)

  expect(receiver.requests).toEqual([])
})

test('if the database rejects a response, the delivery is still recorded as delivered', async () => {
  const workspace = await switchyard.newWorkspace()
  const [odd, plain] = [
    await workspace.anEndpoint(receiver.at('/odd')),
    await workspace.anEndpoint(receiver.at('/plain')),
  ]
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(`alter table delivery_attempts add check (response_body <> 'odd')`),
  )
  receiver.answer = ({ path }) => (path === '/odd' ? { body: 'odd' } : {})
  await workspace.aCustomer()
  await switchyard.settle()

  expect(await workspace.deliveriesTo(odd)).toMatchObject([{ state: 'delivered', attempts_made: 0 }])
  expect(await workspace.deliveriesTo(plain)).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
})

test('a draining dispatcher finishes requests in flight, and starts no others', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/drained'), { max_in_flight: 1 })
  const { deps } = switchyard
  const notifier = { processName: randomUUID(), listen: () => {}, notify: () => {}, stop: () => {} }
  const dispatcher = new LaneDispatcher({
    deps,
    log: createLog('silent'),
    metrics: createMetrics(),
    notifier,
  })
  receiver.answer = () => ({ delayMs: 300 })
  await Promise.all([workspace.aCustomer(), workspace.aCustomer(), workspace.aCustomer()])
  const endpoint = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: id as Id<'webhook_endpoint'> }
  const served = dispatcher.serve(endpoint)
  await expect.poll(() => requestsTo('/drained')).toHaveLength(1)

  dispatcher.drain()
  await served
  await dispatcher.serve(endpoint)
  const { rows } = await query('select owner from webhook_lanes where id = $1', id)
  await dispatcher.stop()

  expect(requestsTo('/drained')).toHaveLength(1)
  expect(rows).toEqual([{ owner: null }])
  receiver.answer = () => ({})
  await switchyard.settle()
  expect(requestsTo('/drained')).toHaveLength(3)
})
