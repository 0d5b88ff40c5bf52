// Recoveries: missed events are resent to an endpoint in the background.

import { beforeEach, expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

/** Uses real time, because event ids do not follow the clock of the test. */
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const since_at = hoursAgo(1)
const receivedEventIds = () => receiver.requests.map(({ headers }) => headers['webhook-id'])

/** Creates an endpoint with its own path and this many exhausted deliveries. */
async function endpointWithExhausted(workspace: Workspace, path: string, count: number): Promise<string> {
  // One request at a time, so that requests arrive in the order in which they are sent.
  const endpointId = await workspace.anEndpoint(receiver.at(path), { max_in_flight: 1 })
  receiver.answer = () => ({ status: 404 })
  for (let nth = 0; nth < count; nth += 1) await workspace.aCustomer()
  for (const minutes of [0, 1, 2, 15]) {
    switchyard.clock.advance({ minutes })
    await switchyard.settle()
  }
  receiver.clear()
  return endpointId
}

async function runRecovery(workspace: Workspace, endpointId: string, criteria: object = {}) {
  const path = `/webhook-endpoints/${endpointId}`
  const { body } = await workspace.post(`${path}/recover`, { since_at, ...criteria })
  await switchyard.settle()
  return (await workspace.get(`${path}/recoveries/${body.id}`)).body
}

test('a recovery sends exhausted deliveries, in the order of their events', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await endpointWithExhausted(workspace, '/first', 3)
  const path = `/webhook-endpoints/${endpointId}`
  const missed = await workspace.deliveriesTo(endpointId)

  const { status, body } = await workspace.post(`${path}/recover`, { since_at })

  expect(status).toBe(202)
  const now = (switchyard.clock.read() as { at: Date }).at.toISOString()
  expect(body).toEqual({
    id: expect.stringMatching(/^webhook_recovery_test_/),
    object: 'webhook_recovery',
    webhook_endpoint_id: endpointId,
    status: 'running',
    since_at,
    until_at: expect.any(String),
    states: ['held', 'exhausted'],
    event_types: null,
    rate: null,
    dry_run: false,
    matched: 0,
    released: 0,
    created_at: now,
    updated_at: now,
    completed_at: null,
  })
  await switchyard.settle()
  const { body: after } = await workspace.get(`${path}/recoveries/${body.id}`)
  expect(after).toMatchObject({ status: 'completed', matched: 3, released: 3, completed_at: now })
  expect(receivedEventIds()).toEqual(missed.map((delivery: { event_id: string }) => delivery.event_id))
  const [delivery] = await workspace.deliveriesTo(endpointId)
  expect(delivery).toMatchObject({ state: 'delivered', tries: 1, attempts_made: 5 })
  const { body: detailed } = await workspace.get(`/deliveries/${delivery.id}`)
  expect(detailed.attempts.at(-1).trigger).toBe('recover')
})

test('a dry run counts matching deliveries and sends nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await endpointWithExhausted(workspace, '/dry', 2)

  const recovery = await runRecovery(workspace, endpointId, { dry_run: true, rate: 1 })

  expect(recovery).toMatchObject({ status: 'completed', dry_run: true, matched: 2, released: 0 })
  expect(receiver.requests).toEqual([])
})

test('deliveries that were not released when the endpoint was enabled can be recovered later', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/held'))
  await workspace.post(`/webhook-endpoints/${endpointId}/disable`)
  for (let nth = 0; nth < 3; nth += 1) await workspace.aCustomer()
  await workspace.post(`/webhook-endpoints/${endpointId}/enable`, { recover: 'none' })
  await switchyard.settle()
  expect(receiver.requests).toEqual([])

  const recovery = await runRecovery(workspace, endpointId)

  expect(recovery).toMatchObject({ status: 'completed', released: 3 })
  expect(receiver.requests).toHaveLength(3)
})

test('a recovery of pending deliveries sends them immediately, in the order of their events', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/waiting'), { ordering: 'object' })
  receiver.answer = () => ({ status: 500 })
  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()
  const waiting = await workspace.deliveriesTo(endpointId)
  expect(waiting.map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending'])
  receiver.clear()

  expect(await runRecovery(workspace, endpointId, { dry_run: true })).toMatchObject({ matched: 0 })
  const states = ['pending', 'exhausted', 'held']
  expect(await runRecovery(workspace, endpointId, { states, dry_run: true })).toMatchObject({ matched: 2 })
  expect(receiver.requests).toEqual([])
  expect(await runRecovery(workspace, endpointId, { states })).toMatchObject({ matched: 2, released: 2 })
  expect(receivedEventIds()).toEqual(waiting.map(({ event_id }: { event_id: string }) => event_id))
})

test('a recovery can be limited by state, type and time', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/criteria'))
  const id = await workspace.aCustomer()
  await switchyard.settle()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()
  const [created, updated] = receivedEventIds()
  receiver.clear()

  expect(await runRecovery(workspace, endpointId)).toMatchObject({ matched: 0 })
  expect(await runRecovery(workspace, endpointId, { states: ['delivered'] })).toMatchObject({ matched: 2 })
  expect(receivedEventIds().toSorted()).toEqual([created, updated].toSorted())
  receiver.clear()
  const criteria = { states: ['delivered'], event_types: ['customer.updated'] }
  expect(await runRecovery(workspace, endpointId, criteria)).toMatchObject({ matched: 1, ...criteria })
  expect(receivedEventIds()).toEqual([updated])
  receiver.clear()
  // Both bounds are inclusive.
  const [{ created_at }] = (await workspace.get(`/events?type=customer.created`)).body.data
  const exactTime = { states: ['delivered'], since_at: created_at, until_at: created_at }
  expect(await runRecovery(workspace, endpointId, exactTime)).toMatchObject({ matched: 1 })
  expect(receivedEventIds()).toEqual([created])
})

test('a recovery of missing events sends events from before the creation of the endpoint, if it subscribes to their type', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  await workspace.put(`/customers/${customerId}`, { name: 'Ada' })
  const other = await workspace.anEndpoint(receiver.at('/other'))
  const endpointId = await workspace.anEndpoint(receiver.at('/new'), {
    event_types: ['customer.created', 'webhook_endpoint.*'],
    max_in_flight: 1,
  })
  await switchyard.settle()
  await workspace.post(`/webhook-endpoints/${other}/test`)
  receiver.clear()

  const recovery = await runRecovery(workspace, endpointId, { states: ['missing'] })

  // The event about its own creation, test events of other endpoints, and events of other types are not sent.
  const types = receiver.requests.map(({ body }) => JSON.parse(body).type)
  expect(types).toEqual(['customer.created', 'webhook_endpoint.created'])
  expect(recovery).toMatchObject({ status: 'completed', matched: 2, released: 2 })
  expect(await workspace.deliveriesTo(endpointId)).toHaveLength(2)
  // After the recovery no event is missing.
  expect(await runRecovery(workspace, endpointId, { states: ['missing'] })).toMatchObject({ matched: 0 })
})

test('a recovery of all states finds every event once', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.aCustomer()
  const endpointId = await endpointWithExhausted(workspace, '/all', 1)
  await workspace.aCustomer()
  await switchyard.settle()
  receiver.clear()

  const recovery = await runRecovery(workspace, endpointId, {
    states: ['held', 'exhausted', 'delivered', 'missing'],
  })

  expect(recovery).toMatchObject({ matched: 3, released: 3 })
  expect(new Set(receivedEventIds()).size).toBe(3)
})

test('recovered deliveries are sent to an ordered endpoint in the order of their events', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/ordered'), { ordering: 'object' })
  const id = await workspace.aCustomer()
  const respondWith = (status: number) => {
    receiver.answer = ({ path }) => ({ status: path === '/ordered' ? status : 200 })
  }
  respondWith(404)
  for (const minutes of [0, 1, 2, 15]) {
    switchyard.clock.advance({ minutes })
    await switchyard.settle()
  }
  respondWith(200)
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()
  const [created, updated] = await workspace.deliveriesTo(endpointId)
  expect([created, updated]).toMatchObject([{ state: 'exhausted' }, { state: 'delivered' }])

  // The first delivery fails again and waits for its retry, so the second waits for the first.
  respondWith(404)
  await runRecovery(workspace, endpointId)
  await runRecovery(workspace, endpointId, { states: ['delivered'] })
  receiver.clear()
  await switchyard.settle()
  expect(receiver.requests).toEqual([])
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()

  expect(receivedEventIds()).toEqual([created.event_id, updated.event_id])
})

test('a recovery keeps its rate over several batches', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await endpointWithExhausted(workspace, '/paced', 12)
  const path = `/webhook-endpoints/${endpointId}`
  const { body } = await workspace.post(`${path}/recover`, { since_at, rate: 1 })
  const requestCounts: number[] = []

  for (let batch = 0; batch < 4; batch += 1) {
    await switchyard.settle()
    requestCounts.push(receiver.requests.length)
    switchyard.clock.advance({ seconds: 5 })
  }

  expect(requestCounts).toEqual([5, 10, 12, 12])
  expect((await workspace.get(`${path}/recoveries/${body.id}`)).body).toMatchObject({
    status: 'completed',
    rate: 1,
    released: 12,
  })
})

test('a cancelled recovery releases no further deliveries, and cancelling it again returns the same response', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await endpointWithExhausted(workspace, '/cancelled', 7)
  const path = `/webhook-endpoints/${endpointId}`
  const { body } = await workspace.post(`${path}/recover`, { since_at, rate: 1 })
  await switchyard.settle()

  const cancelled = await workspace.post(`${path}/recoveries/${body.id}/cancel`)
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()

  expect(cancelled.body).toMatchObject({ status: 'cancelled', released: 5 })
  expect(cancelled.body.completed_at).not.toBeNull()
  expect(receiver.requests).toHaveLength(5)
  expect((await workspace.post(`${path}/recoveries/${body.id}/cancel`)).body).toEqual(cancelled.body)
})

test('a recovery that has ended cannot be cancelled', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const { id } = await runRecovery(workspace, endpointId)

  expect(await workspace.post(`/webhook-endpoints/${endpointId}/recoveries/${id}/cancel`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'completed', allowed_actions: [] },
  })
})

test('an endpoint has only one running recovery, even if several are started concurrently', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const start = () => workspace.post(`/webhook-endpoints/${endpointId}/recover`, { since_at })

  const responses = await Promise.all([start(), start(), start()])

  expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
  const rejected = responses.find(({ status }) => status === 409)
  expect(rejected?.body).toMatchObject({ current_status: 'running', allowed_actions: ['cancel'] })
  await switchyard.settle()
  expect((await start()).status).toBe(202)
})

test('a recovery cannot be started for a disabled endpoint, and disabling the endpoint cancels a running recovery', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await endpointWithExhausted(workspace, '/closing', 7)
  const path = `/webhook-endpoints/${endpointId}`
  const { body } = await workspace.post(`${path}/recover`, { since_at, rate: 1 })
  await switchyard.settle()
  await workspace.post(`${path}/disable`)
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()

  expect((await workspace.get(`${path}/recoveries/${body.id}`)).body).toMatchObject({
    status: 'cancelled',
    released: 5,
  })
  expect(await workspace.post(`${path}/recover`, { since_at })).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'disabled', allowed_actions: ['enable'] },
  })
})

test('the period of a recovery starts at most 30 days ago, and its end is limited to the present', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const recover = (criteria: object) => workspace.post(`/webhook-endpoints/${endpointId}/recover`, criteria)

  expect(await recover({ since_at: hoursAgo(31 * 24) })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/since_at', code: 'too_small' }] },
  })
  expect(await recover({ since_at: hoursAgo(-1) })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/since_at', code: 'too_large' }] },
  })
  expect(await recover({ since_at, until_at: hoursAgo(2) })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/until_at', code: 'too_small' }] },
  })
  const { body } = await recover({ since_at: hoursAgo(29 * 24), until_at: hoursAgo(-5) })
  expect(Date.parse(body.until_at)).toBeLessThan(Date.now() + 60_000)
})

test('recoveries are listed by endpoint, and not found under another endpoint', async () => {
  const workspace = await switchyard.newWorkspace()
  const [endpointId, other] = [
    await workspace.anEndpoint(receiver.url),
    await workspace.anEndpoint(receiver.url),
  ]
  const { id } = await runRecovery(workspace, endpointId)

  const { body: list } = await workspace.get(`/webhook-endpoints/${endpointId}/recoveries`)

  expect(list).toMatchObject({ url: `/webhook-endpoints/${endpointId}/recoveries`, data: [{ id }] })
  expect((await workspace.get(`/webhook-endpoints/${other}/recoveries`)).body.data).toEqual([])
  expect((await workspace.get(`/webhook-endpoints/${other}/recoveries/${id}`)).status).toBe(404)
})

test('more than a thousand deliveries are recovered in batches, each exactly once', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/many'))
  const count = 2_100
  await workspace.post(`/webhook-endpoints/${endpointId}/disable`)
  await workspace.aCustomer()
  const [held] = await workspace.deliveriesTo(endpointId)
  // Copies of one event, as if they had been created over an hour.
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query(
      `with template as (select * from events where type = 'customer.created'
         and workspace_id = (select workspace_id from webhook_endpoints where url = $1)),
       copied as (
         insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
         select workspace_id, uuidv7(nth * interval '-1 second'), type, object_id, sequence, api_version,
           created_at, data from template, generate_series(1, $2) as nth
         returning workspace_id, id, type, object_id, sequence)
       insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
         ordered, state, due_at)
       select copied.workspace_id, delivery_id(copied.id, endpoint.id), copied.id, endpoint.id, copied.type,
         object_id, copied.sequence, false, 'held', now()
       from copied join webhook_endpoints as endpoint on endpoint.workspace_id = copied.workspace_id`,
      [receiver.at('/many'), count - 1],
    )
  })
  await workspace.post(`/webhook-endpoints/${endpointId}/enable`, { recover: 'none' })

  const dryRun = await runRecovery(workspace, endpointId, { dry_run: true })
  const recovery = await runRecovery(workspace, endpointId)

  expect(held.state).toBe('held')
  expect(dryRun).toMatchObject({ status: 'completed', matched: count, released: 0 })
  expect(recovery).toMatchObject({ status: 'completed', matched: count, released: count })
  expect(receiver.requests).toHaveLength(count)
  expect(new Set(receivedEventIds()).size).toBe(count)
  // With every combination of states, a batch continues where the previous one ended.
  for (const states of [['delivered'], ['delivered', 'missing'], ['held', 'exhausted', 'missing']]) {
    const { matched } = await runRecovery(workspace, endpointId, { states, dry_run: true })
    expect([states, matched]).toEqual([states, states.includes('delivered') ? count : 0])
  }
  const { body: figures } = await workspace.get(`/webhook-endpoints/${endpointId}/figures`)
  expect(figures).toMatchObject({ deliveries: 1_000, delivered: 1_000, attempts: 1_000, success_rate: 1 })
})
