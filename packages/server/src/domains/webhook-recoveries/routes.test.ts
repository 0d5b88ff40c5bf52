// Sending an endpoint what it missed, in the background.

import { beforeEach, expect, test } from 'vitest'
import { receiverForThisFile } from '../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { asOwner } from '../../platform/db/owner.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

/** Events are dated by the wall, whatever the clock of the test says. */
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const since_at = hoursAgo(1)
const idsThatCame = () => receiver.requests.map(({ headers }) => headers['webhook-id'])

/** An endpoint of its own path with deliveries that were given up. */
async function exhausted(workspace: Workspace, path: string, count: number): Promise<string> {
  // One at a time, so that they come in the order in which they are sent.
  const endpointId = await workspace.anEndpoint(receiver.at(path), { max_in_flight: 1 })
  receiver.answer = () => ({ status: 404 })
  for (let made = 0; made < count; made += 1) await workspace.aCustomer()
  for (const minutes of [0, 1, 2, 15]) {
    switchyard.clock.advance({ minutes })
    await switchyard.settle()
  }
  receiver.clear()
  return endpointId
}

async function recovered(workspace: Workspace, endpointId: string, terms: object = {}) {
  const path = `/webhook-endpoints/${endpointId}`
  const { body } = await workspace.post(`${path}/recover`, { since_at, ...terms })
  await switchyard.settle()
  return (await workspace.get(`${path}/recoveries/${body.id}`)).body
}

test('a recovery sends what was given up, in the order in which it happened', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await exhausted(workspace, '/first', 3)
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
  expect(idsThatCame()).toEqual(missed.map((delivery: { event_id: string }) => delivery.event_id))
  const [delivery] = await workspace.deliveriesTo(endpointId)
  expect(delivery).toMatchObject({ state: 'delivered', tries: 1, attempts_made: 5 })
  const { body: detailed } = await workspace.get(`/deliveries/${delivery.id}`)
  expect(detailed.attempts.at(-1).trigger).toBe('recover')
})

test('a dry run counts and sends nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await exhausted(workspace, '/dry', 2)

  const recovery = await recovered(workspace, endpointId, { dry_run: true, rate: 1 })

  expect(recovery).toMatchObject({ status: 'completed', dry_run: true, matched: 2, released: 0 })
  expect(receiver.requests).toEqual([])
})

test('what was held and not released when the endpoint was enabled can be recovered later', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/held'))
  await workspace.post(`/webhook-endpoints/${endpointId}/disable`)
  for (let made = 0; made < 3; made += 1) await workspace.aCustomer()
  await workspace.post(`/webhook-endpoints/${endpointId}/enable`, { recover: 'none' })
  await switchyard.settle()
  expect(receiver.requests).toEqual([])

  const recovery = await recovered(workspace, endpointId)

  expect(recovery).toMatchObject({ status: 'completed', released: 3 })
  expect(receiver.requests).toHaveLength(3)
})

test('only what was asked for is sent: by state, by type and by time', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/terms'))
  const id = await workspace.aCustomer()
  await switchyard.settle()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()
  const [created, updated] = idsThatCame()
  receiver.clear()

  expect(await recovered(workspace, endpointId)).toMatchObject({ matched: 0 })
  expect(await recovered(workspace, endpointId, { states: ['delivered'] })).toMatchObject({ matched: 2 })
  expect(idsThatCame().toSorted()).toEqual([created, updated].toSorted())
  receiver.clear()
  const terms = { states: ['delivered'], event_types: ['customer.updated'] }
  expect(await recovered(workspace, endpointId, terms)).toMatchObject({ matched: 1, ...terms })
  expect(idsThatCame()).toEqual([updated])
  receiver.clear()
  // Both bounds belong to it.
  const [{ created_at }] = (await workspace.get(`/events?type=customer.created`)).body.data
  const moment = { states: ['delivered'], since_at: created_at, until_at: created_at }
  expect(await recovered(workspace, endpointId, moment)).toMatchObject({ matched: 1 })
  expect(idsThatCame()).toEqual([created])
})

test('what happened before the endpoint was created is sent as missing, if it asks for the type', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  await workspace.put(`/customers/${customerId}`, { name: 'Ada' })
  const other = await workspace.anEndpoint(receiver.at('/else'))
  const endpointId = await workspace.anEndpoint(receiver.at('/new'), {
    event_types: ['customer.created', 'webhook_endpoint.*'],
    max_in_flight: 1,
  })
  await switchyard.settle()
  await workspace.post(`/webhook-endpoints/${other}/test`)
  receiver.clear()

  const recovery = await recovered(workspace, endpointId, { states: ['missing'] })

  // Its own creation and the trial of another endpoint concern it as little as types it does not ask for.
  const types = receiver.requests.map(({ body }) => JSON.parse(body).type)
  expect(types).toEqual(['customer.created', 'webhook_endpoint.created'])
  expect(recovery).toMatchObject({ status: 'completed', matched: 2, released: 2 })
  expect(await workspace.deliveriesTo(endpointId)).toHaveLength(2)
  // Now none is missing.
  expect(await recovered(workspace, endpointId, { states: ['missing'] })).toMatchObject({ matched: 0 })
})

test('all states together find every event once', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.aCustomer()
  const endpointId = await exhausted(workspace, '/all', 1)
  await workspace.aCustomer()
  await switchyard.settle()
  receiver.clear()

  const recovery = await recovered(workspace, endpointId, {
    states: ['held', 'exhausted', 'delivered', 'missing'],
  })

  expect(recovery).toMatchObject({ matched: 3, released: 3 })
  expect(new Set(idsThatCame()).size).toBe(3)
})

test('what is recovered keeps the order that the endpoint wants', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/ordered'), { ordering: 'object' })
  const id = await workspace.aCustomer()
  const answerTo = (status: number) => {
    receiver.answer = ({ path }) => ({ status: path === '/ordered' ? status : 200 })
  }
  answerTo(404)
  for (const minutes of [0, 1, 2, 15]) {
    switchyard.clock.advance({ minutes })
    await switchyard.settle()
  }
  answerTo(200)
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()
  const [created, updated] = await workspace.deliveriesTo(endpointId)
  expect([created, updated]).toMatchObject([{ state: 'exhausted' }, { state: 'delivered' }])

  // The first fails once more and waits, so the second waits behind it.
  answerTo(404)
  await recovered(workspace, endpointId)
  await recovered(workspace, endpointId, { states: ['delivered'] })
  receiver.clear()
  await switchyard.settle()
  expect(receiver.requests).toEqual([])
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()

  expect(idsThatCame()).toEqual([created.event_id, updated.event_id])
})

test('a rate is kept: so many per second, over as many steps as it takes', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await exhausted(workspace, '/paced', 12)
  const path = `/webhook-endpoints/${endpointId}`
  const { body } = await workspace.post(`${path}/recover`, { since_at, rate: 1 })
  const came: number[] = []

  for (let step = 0; step < 4; step += 1) {
    await switchyard.settle()
    came.push(receiver.requests.length)
    switchyard.clock.advance({ seconds: 5 })
  }

  expect(came).toEqual([5, 10, 12, 12])
  expect((await workspace.get(`${path}/recoveries/${body.id}`)).body).toMatchObject({
    status: 'completed',
    rate: 1,
    released: 12,
  })
})

test('a cancelled recovery stops at its next step, and cancelling again answers the same', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await exhausted(workspace, '/cancelled', 7)
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

test('one that has ended cannot be cancelled', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const { id } = await recovered(workspace, endpointId)

  expect(await workspace.post(`/webhook-endpoints/${endpointId}/recoveries/${id}/cancel`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'completed', allowed_actions: [] },
  })
})

test('one recovery of an endpoint runs at a time, also if two begin at once', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const start = () => workspace.post(`/webhook-endpoints/${endpointId}/recover`, { since_at })

  const answers = await Promise.all([start(), start(), start()])

  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body).toMatchObject({ current_status: 'running', allowed_actions: ['cancel'] })
  await switchyard.settle()
  expect((await start()).status).toBe(202)
})

test('an endpoint that is disabled cannot be recovered, and one that is disabled meanwhile ends it', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await exhausted(workspace, '/closing', 7)
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

test('a recovery reaches back 30 days, and not beyond its own end', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const recover = (terms: object) => workspace.post(`/webhook-endpoints/${endpointId}/recover`, terms)

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
  // What has not happened yet was not missed.
  expect(Date.parse(body.until_at)).toBeLessThan(Date.now() + 60_000)
})

test('recoveries are listed by endpoint, and found under their own alone', async () => {
  const workspace = await switchyard.newWorkspace()
  const [one, other] = [await workspace.anEndpoint(receiver.url), await workspace.anEndpoint(receiver.url)]
  const { id } = await recovered(workspace, one)

  const { body: list } = await workspace.get(`/webhook-endpoints/${one}/recoveries`)

  expect(list).toMatchObject({ url: `/webhook-endpoints/${one}/recoveries`, data: [{ id }] })
  expect((await workspace.get(`/webhook-endpoints/${other}/recoveries`)).body.data).toEqual([])
  expect((await workspace.get(`/webhook-endpoints/${other}/recoveries/${id}`)).status).toBe(404)
})

test('more than a thousand are found step by step, and none twice', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/many'))
  const count = 2_100
  await workspace.post(`/webhook-endpoints/${endpointId}/disable`)
  await workspace.aCustomer()
  const [held] = await workspace.deliveriesTo(endpointId)
  // Copies of one event, as they would have come over an hour.
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

  const counted = await recovered(workspace, endpointId, { dry_run: true })
  const recovery = await recovered(workspace, endpointId)

  expect(held.state).toBe('held')
  expect(counted).toMatchObject({ status: 'completed', matched: count, released: 0 })
  expect(recovery).toMatchObject({ status: 'completed', matched: count, released: count })
  expect(receiver.requests).toHaveLength(count)
  expect(new Set(idsThatCame()).size).toBe(count)
  // Every way of looking goes on where its last step ended.
  for (const states of [['delivered'], ['delivered', 'missing'], ['held', 'exhausted', 'missing']]) {
    const { matched } = await recovered(workspace, endpointId, { states, dry_run: true })
    expect([states, matched]).toEqual([states, states.includes('delivered') ? count : 0])
  }
  const { body: figures } = await workspace.get(`/webhook-endpoints/${endpointId}/figures`)
  expect(figures).toMatchObject({ deliveries: 1_000, delivered: 1_000, attempts: 1_000, success_rate: 1 })
})
