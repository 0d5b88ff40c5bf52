import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { receiverForThisFile } from '../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidFromText } from '../../kernel/id.ts'
import type { Db, Shard } from '../../platform/db/databases.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { Courier } from './service/courier.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

const serve = ({ workspaceId }: Workspace, id: string) =>
  switchyard.deps.courier.serve({
    workspaceId: workspaceId as Id<'workspace'>,
    id: id as Id<'webhook_endpoint'>,
  })
const requestsTo = (path: string) => receiver.requests.filter((request) => request.path === path)
const query = (text: string, id: string) =>
  asOwner(switchyard.databaseUrl, (client) =>
    client.query(text, [uuidFromText('webhook_endpoint', 'test', id)]),
  )

test('what becomes due while nothing is found is sent all the same', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/bell'))
  const shard = switchyard.deps.databases.shards[0] as { -readonly [M in keyof Shard]: Shard[M] }
  const { delivering } = shard
  const [read, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  shard.delivering = async <T>(body: (db: Db) => Promise<T>) => {
    const result = await delivering(body)
    read.resolve()
    await open.promise
    return result
  }

  const served = serve(workspace, id)
  await read.promise
  await workspace.aCustomer()
  await serve(workspace, id)
  shard.delivering = delivering
  open.resolve()
  await served

  expect(requestsTo('/bell')).toHaveLength(1)
})

test('a rate limit holds from one life of a lane to the next', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.anEndpoint(receiver.at('/paced'), { rate_limit: 4 })
  const began = performance.now()
  for (let nth = 0; nth < 4; nth += 1) {
    await workspace.aCustomer()
    await switchyard.settle()
  }

  expect(requestsTo('/paced')).toHaveLength(4)
  expect(performance.now() - began).toBeGreaterThan(700)
})

test('failures that are far between open the breaker too', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/down'))
  receiver.answer = () => ({ status: 500 })
  for (let nth = 0; nth < 5; nth += 1) {
    await workspace.aCustomer()
    await switchyard.settle()
  }

  expect((await workspace.get(`/webhook-endpoints/${id}`)).body.health.state).toBe('open')
})

test('what a receiver answers that is no longer the endpoint’s is not held against the new one', async () => {
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

test('what happens while those before it are released is sent behind them', async () => {
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

  const ofCustomer = requestsTo('/order').map(({ body }) => JSON.parse(JSON.parse(body).data))
  expect(ofCustomer.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
})

test('those behind one that was sent by hand need not wait as long as it had to', async () => {
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

test('a trial that failed is not sent again with what is recovered', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/trial'))
  receiver.answer = () => ({ status: 500 })
  await workspace.post(`/webhook-endpoints/${id}/test`, {})
  receiver.clear()
  const since_at = new Date(Date.now() - 3_600_000).toISOString()
  const { status } = await workspace.post(`/webhook-endpoints/${id}/recover`, { since_at })
  await switchyard.settle()

  expect(status).toBeLessThan(300)
  expect(requestsTo('/trial')).toEqual([])
})

test('a lane that somebody holds keeps no results of others waiting', async () => {
  const workspace = await switchyard.newWorkspace()
  const [held, free] = [
    await workspace.anEndpoint(receiver.at('/held')),
    await workspace.anEndpoint(receiver.at('/free')),
  ]
  receiver.answer = () => ({ delayMs: 500 })
  await workspace.aCustomer()
  const served = [held, free].map((id) => serve(workspace, id))
  await expect.poll(() => receiver.requests).toHaveLength(2)
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from webhook_lanes where id = $1 for update', [
      uuidFromText('webhook_endpoint', 'test', held),
    ])
    const stateOf = async (id: string) => (await workspace.deliveriesTo(id))[0].state
    await expect.poll(() => stateOf(free), { timeout: 5_000 }).toBe('delivered')
    await expect.poll(() => stateOf(held)).toBe('delivered')
    await client.query('rollback')
  })
  await Promise.all(served)

  const { rows } = await query('select owner from webhook_lanes where id = $1', held)
  expect(rows).toEqual([{ owner: null }])
})

test('an endpoint whose secret does not open rests, and others are served', async () => {
  const workspace = await switchyard.newWorkspace()
  const [broken, well] = [
    await workspace.anEndpoint(receiver.at('/broken')),
    await workspace.anEndpoint(receiver.at('/well')),
  ]
  await query(`update webhook_secrets set sealed = '\\x00' where webhook_endpoint_id = $1`, broken)
  await workspace.aCustomer()
  await Promise.all([broken, well].map((id) => serve(workspace, id)))

  expect(requestsTo('/well')).toHaveLength(1)
  expect(requestsTo('/broken')).toEqual([])
  const { rows } = await query('select rest_until from webhook_lanes where id = $1', broken)
  expect(rows[0]?.rest_until).not.toBeNull()
})

test('an endpoint that there is not is served at once', async () => {
  const workspace = await switchyard.newWorkspace()
  const other = await switchyard.newWorkspace()
  const id = await other.anEndpoint(receiver.at('/nobody'))

  await serve(workspace, id)

  expect(receiver.requests).toEqual([])
})

test('an answer that the database does not take is lost, the result is not', async () => {
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

test('a courier that drains ends what is under way, and takes nothing more', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(receiver.at('/drained'), { max_in_flight: 1 })
  const { deps } = switchyard
  const rings = { me: randomUUID(), listen: () => {}, ring: () => {}, stop: () => {} }
  const courier = new Courier({ deps, log: createLog('silent'), metrics: createMetrics(), rings })
  receiver.answer = () => ({ delayMs: 300 })
  await Promise.all([workspace.aCustomer(), workspace.aCustomer(), workspace.aCustomer()])
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: id as Id<'webhook_endpoint'> }
  const served = courier.serve(ref)
  await expect.poll(() => requestsTo('/drained')).toHaveLength(1)

  courier.drain()
  await served
  await courier.serve(ref)
  const { rows } = await query('select owner from webhook_lanes where id = $1', id)
  await courier.stop()

  expect(requestsTo('/drained')).toHaveLength(1)
  expect(rows).toEqual([{ owner: null }])
  receiver.answer = () => ({})
  await switchyard.settle()
  expect(requestsTo('/drained')).toHaveLength(3)
})
