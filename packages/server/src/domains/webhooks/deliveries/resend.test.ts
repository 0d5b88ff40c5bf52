// A resend sends the same event again, immediately and before all other deliveries.

import { beforeEach, expect, test, vi } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

async function createDelivery(workspace: Workspace, endpointId: string) {
  await workspace.aCustomer()
  await switchyard.settle()
  const [delivery] = await workspace.deliveriesTo(endpointId)
  return delivery
}

test('a delivered event is resent with the same body and the same t', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const { id } = await createDelivery(workspace, endpointId)

  const { status, body } = await workspace.post(`/deliveries/${id}/resend`)

  expect(status).toBe(200)
  expect(body).toMatchObject({ id, state: 'pending', tries: 0, attempts_made: 1, settled_at: null })
  await switchyard.settle()
  const [first, second] = receiver.requests
  expect(second?.body).toBe(first?.body)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.headers['switchyard-attempt']).toBe('2')
  const { body: after } = await workspace.get(`/deliveries/${id}`)
  expect(after).toMatchObject({ state: 'delivered', tries: 1, attempts_made: 2 })
  expect(after.attempts.map(({ trigger }: { trigger: string }) => trigger)).toEqual(['schedule', 'resend'])
})

test('a resend starts a new round: an exhausted delivery is retried as often as before', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  receiver.answer = () => ({ status: 404 })
  const { id } = await createDelivery(workspace, endpointId)
  const failAllRetries = async () => {
    for (const minutes of [1, 2, 15]) {
      switchyard.clock.advance({ minutes })
      await switchyard.settle()
    }
  }
  await failAllRetries()
  expect((await workspace.get(`/deliveries/${id}`)).body).toMatchObject({ state: 'exhausted', tries: 4 })

  await workspace.post(`/deliveries/${id}/resend`)
  await switchyard.settle()

  expect((await workspace.get(`/deliveries/${id}`)).body).toMatchObject({
    state: 'pending',
    tries: 1,
    attempts_made: 5,
  })
  await failAllRetries()
  expect((await workspace.get(`/deliveries/${id}`)).body).toMatchObject({
    state: 'exhausted',
    attempts_made: 8,
  })
  // Each exhaustion emits one event.
  const sequences = (await workspace.eventsOf(id)).map(({ sequence }: { sequence: number }) => sequence)
  expect(sequences).toEqual([1, 2])
})

test('a resend is sent ahead of all pending deliveries, and bypasses an open breaker', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url, { max_in_flight: 1 })
  const { id, event_id } = await createDelivery(workspace, endpointId)
  receiver.answer = () => ({ status: 500 })
  for (let nth = 0; nth < 8; nth += 1) await workspace.aCustomer()
  await switchyard.settle()
  const { body: endpoint } = await workspace.get(`/webhook-endpoints/${endpointId}`)
  expect(endpoint.health.state).toBe('open')
  receiver.clear()
  await switchyard.settle()
  expect(receiver.requests).toEqual([])

  await workspace.post(`/deliveries/${id}/resend`)
  await switchyard.settle()

  expect(receiver.requests[0]?.headers['webhook-id']).toBe(event_id)
  // The success closed the breaker, so the other deliveries are sent when they are due.
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(9)
})

test('a pending delivery that waits for its next attempt is sent immediately', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  receiver.answer = (_, nth) => ({ status: nth === 1 ? 404 : 200 })
  const { id } = await createDelivery(workspace, endpointId)

  await workspace.post(`/deliveries/${id}/resend`)
  await switchyard.settle()

  expect((await workspace.get(`/deliveries/${id}`)).body).toMatchObject({ state: 'delivered', tries: 1 })
})

test('a resend does not wait for earlier events of the object, even if the endpoint is ordered', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/ordered'), { ordering: 'object' })
  receiver.answer = ({ path }, nth) => ({ status: path === '/ordered' && nth === 1 ? 404 : 200 })
  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()
  const [first, second] = await workspace.deliveriesTo(endpointId)
  expect([first, second]).toMatchObject([
    { state: 'pending', tries: 1 },
    { state: 'pending', tries: 0 },
  ])

  await workspace.post(`/deliveries/${second.id}/resend`)
  await switchyard.settle()

  expect(await workspace.deliveriesTo(endpointId)).toMatchObject([
    { id: first.id, state: 'pending' },
    { id: second.id, state: 'delivered' },
  ])
})

test('the result of an attempt in flight during a resend is ignored', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/slow'))
  const requestCount = () => receiver.requests.filter(({ path }) => path === '/slow').length
  receiver.answer = ({ path }, nth) => (path === '/slow' && nth === 1 ? { status: 404, delayMs: 500 } : {})
  await workspace.aCustomer()
  const [{ id }] = await workspace.deliveriesTo(endpointId)
  const dispatching = switchyard.settle()
  await vi.waitFor(() => expect(requestCount()).toBe(1))

  await workspace.post(`/deliveries/${id}/resend`)
  await dispatching
  await switchyard.settle()

  expect(requestCount()).toBe(2)
  const { body } = await workspace.get(`/deliveries/${id}`)
  expect(body).toMatchObject({ state: 'delivered', tries: 1 })
})

test('nothing is resent to a disabled or deleted endpoint', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const { id, event_id } = await createDelivery(workspace, endpointId)
  const resend = () => workspace.post(`/deliveries/${id}/resend`)
  const resendEvent = () =>
    workspace.post(`/events/${event_id}/resend`, { webhook_endpoint_ids: [endpointId] })

  await workspace.post(`/webhook-endpoints/${endpointId}/disable`)
  const disabled = { code: 'invalid_state', current_status: 'disabled', allowed_actions: ['enable'] }
  expect(await resend()).toMatchObject({ status: 409, body: disabled })
  expect(await resendEvent()).toMatchObject({ status: 409, body: disabled })

  await workspace.delete(`/webhook-endpoints/${endpointId}`)
  expect(await resend()).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await resendEvent()).toMatchObject({
    status: 422,
    body: {
      code: 'reference_not_found',
      errors: [{ pointer: '/webhook_endpoint_ids/0', code: 'not_found' }],
    },
  })
})

test('a delivery that was deleted with its endpoint cannot be resent', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  await workspace.aCustomer()
  const [delivery] = await workspace.deliveriesTo(endpointId)
  await workspace.delete(`/webhook-endpoints/${endpointId}`)
  await switchyard.settle()

  expect(await workspace.post(`/deliveries/${delivery.id}/resend`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'deleted', allowed_actions: [] },
  })
})

test('an event can be sent to an endpoint that never got it, and repeated resends use the same delivery', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.aCustomer()
  const [event] = (await workspace.get('/events?type=customer.created')).body.data
  const endpointId = await workspace.anEndpoint(receiver.url, { event_types: ['customer.deleted'] })
  const resend = () => workspace.post(`/events/${event.id}/resend`, { webhook_endpoint_ids: [endpointId] })

  const { status, body } = await resend()
  await switchyard.settle()
  await resend()
  await switchyard.settle()

  expect(status).toBe(200)
  expect(body).toMatchObject({ object: 'list', has_more: false, data: [{ event_id: event.id }] })
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id])
  const deliveries = await workspace.deliveriesTo(endpointId)
  expect(deliveries).toMatchObject([{ state: 'delivered', attempts_made: 2 }])
  // The envelope contains the number of recipients when the event was created.
  expect(JSON.parse(receiver.requests[0]?.body ?? '').pending_deliveries).toBe(0)
})

test('by default an event is resent to endpoints that subscribe to its type now or already got it', async () => {
  const workspace = await switchyard.newWorkspace()
  const earlierRecipient = await workspace.anEndpoint(receiver.at('/earlier-recipient'))
  await workspace.aCustomer()
  const [event] = (await workspace.get('/events?type=customer.created')).body.data
  await workspace.put(`/webhook-endpoints/${earlierRecipient}`, { event_types: ['customer.deleted'] })
  await workspace.anEndpoint(receiver.at('/subscribed'), { event_types: ['customer.*'] })
  await workspace.anEndpoint(receiver.at('/other'), { event_types: ['customer.deleted'] })
  const disabled = await workspace.anEndpoint(receiver.at('/disabled'), { event_types: ['*'] })
  await workspace.post(`/webhook-endpoints/${disabled}/disable`)
  await switchyard.settle()
  receiver.clear()

  await workspace.post(`/events/${event.id}/resend`)
  await switchyard.settle()

  expect(receiver.requests.map(({ path }) => path).toSorted()).toEqual(['/earlier-recipient', '/subscribed'])
})

test('an event about an endpoint is not resent to that endpoint, unless the request names it', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url, { event_types: ['*'] })
  const [event] = (await workspace.get(`/events?object_id=${endpointId}`)).body.data

  const { body: byDefault } = await workspace.post(`/events/${event.id}/resend`)
  const { body: named } = await workspace.post(`/events/${event.id}/resend`, {
    webhook_endpoint_ids: [endpointId],
  })

  expect(byDefault.data).toEqual([])
  expect(named.data).toHaveLength(1)
})

test('SUPPORT may resend, READ_ONLY may not', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.url)
  const { id } = await createDelivery(workspace, endpointId)
  const resendAs = async (role: 'SUPPORT' | 'READ_ONLY') =>
    workspace.post(`/deliveries/${id}/resend`, undefined, { token: await workspace.tokenFor(role) })

  expect((await resendAs('SUPPORT')).status).toBe(200)
  expect((await resendAs('READ_ONLY')).status).toBe(403)
})

test('an event from more than 30 days ago is not resent', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.anEndpoint(receiver.url)
  const old = '00000000-0000-7000-8000-000000000001'
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
       values ($1, $2, 'customer.created', $2, 1, '2026-11-14', now(), '{}')`,
      [uuidOf(workspace.workspaceId as Id<'workspace'>), old],
    ),
  )

  expect(await workspace.post(`/events/${idFromUuid('event', 'test', old)}/resend`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/event_id', code: 'too_small' }] },
  })
})

test('a repeated request with the same idempotency key does not send the event again', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpointId = await workspace.anEndpoint(receiver.at('/repeated'))
  const { id } = await createDelivery(workspace, endpointId)
  const headers = { 'idempotency-key': 'again-1' }
  const resend = async () => {
    const response = await workspace.post(`/deliveries/${id}/resend`, undefined, { headers })
    await switchyard.settle()
    return response
  }

  const [first, second] = [await resend(), await resend()]

  expect(second.body).toEqual(first.body)
  expect(receiver.requests.filter(({ path }) => path === '/repeated')).toHaveLength(2)
})
