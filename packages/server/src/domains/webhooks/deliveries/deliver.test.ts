// Delivers events from the real service to a real receiver, and checks the received requests.

import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeEach, expect, test } from 'vitest'
import { verifyWebhook } from '../../../../../sdk/src/webhooks.ts'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

test('an event is sent to the endpoint that subscribes to its type, with the same body as GET and both signatures', async () => {
  const { anEndpoint, aCustomer, secretOf, deliveriesTo, get } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  const customerId = await aCustomer({ name: 'Café “Zürich” 漢字 💳 </b> \\ "x"' })
  await switchyard.settle()

  const [request, ...others] = receiver.requests
  expect(others).toEqual([])
  const body = JSON.parse(request?.body ?? '')
  const { body: event } = await get(`/events/${body.id}`)
  // One delivery was pending when the event was sent; now none is.
  expect(body).toEqual({ ...event, pending_deliveries: 1 })
  expect(event.pending_deliveries).toBe(0)
  expect(Object.keys(body)).toEqual([
    'id',
    'object',
    'type',
    'created_at',
    'api_version',
    'pending_deliveries',
    'data',
  ])

  const secret = await secretOf(endpointId)
  const verified = await verifyWebhook({ body: request?.body ?? '', headers: request?.headers ?? {}, secret })
  expect(verified).toMatchObject({ type: 'customer.created', content: { object: { id: customerId } } })
  expect(new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {})).toMatchObject({
    id: event.id,
  })

  const [delivery] = await deliveriesTo(endpointId)
  expect(delivery).toMatchObject({ state: 'delivered', event_id: event.id, event_type: 'customer.created' })
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': event.id,
    'switchyard-delivery': delivery.id,
    'switchyard-attempt': '1',
  })
})

test('an endpoint gets only events of types it subscribes to, and none of another workspace', async () => {
  const [workspace, otherWorkspace] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  await workspace.anEndpoint(receiver.at('/updates'), { event_types: ['customer.updated'] })
  await workspace.anEndpoint(receiver.at('/all'), { event_types: ['*'] })
  await otherWorkspace.anEndpoint(receiver.at('/other'), { event_types: ['*'] })
  receiver.clear()
  const id = await workspace.aCustomer()
  await workspace.put(`/customers/${id}`, { name: 'Ada' })
  await switchyard.settle()

  const received = receiver.requests.map(({ path, body }) => `${path} ${JSON.parse(body).type}`)
  expect(received.filter((line) => line.includes('customer.')).toSorted()).toEqual([
    '/all customer.created',
    '/all customer.updated',
    '/updates customer.updated',
  ])
})

test('an endpoint gets no events about itself, but other endpoints do', async () => {
  const { anEndpoint } = await switchyard.newWorkspace()
  await anEndpoint(receiver.at('/first'), { event_types: ['webhook_endpoint.*'] })
  await anEndpoint(receiver.at('/second'), { event_types: ['webhook_endpoint.*'] })
  await switchyard.settle()

  expect(receiver.requests.map(({ path }) => path)).toEqual(['/first'])
})

test('an endpoint gets no events that were created before it', async () => {
  const { anEndpoint, aCustomer } = await switchyard.newWorkspace()
  await aCustomer()
  await anEndpoint(receiver.url)
  await switchyard.settle()

  expect(receiver.requests).toEqual([])
})

test('three hundred events reach two endpoints exactly once, and each signature verifies', async () => {
  const { anEndpoint, aCustomer, secretOf } = await switchyard.newWorkspace()
  const [one, two] = [await anEndpoint(receiver.at('/one')), await anEndpoint(receiver.at('/two'))]
  const secrets = new Map([
    ['/one', await secretOf(one)],
    ['/two', await secretOf(two)],
  ])
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 30 }, () => aCustomer()))
  await switchyard.settle()

  expect(receiver.requests).toHaveLength(600)
  expect(new Set(receiver.requests.map(({ path, headers }) => path + headers['webhook-id'])).size).toBe(600)
  for (const { path, body, headers } of receiver.requests)
    await verifyWebhook({ body, headers, secret: secrets.get(path) ?? '' })
})

test('no more requests are in flight than the endpoint allows', async () => {
  const { anEndpoint, aCustomer } = await switchyard.newWorkspace()
  await anEndpoint(receiver.url, { max_in_flight: 3 })
  await Promise.all(Array.from({ length: 30 }, () => aCustomer()))
  let [inFlight, maxInFlight] = [0, 0]
  receiver.answer = () => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    setTimeout(() => {
      inFlight -= 1
    }, 9)
    return { delayMs: 10 }
  }
  await switchyard.settle()

  expect(receiver.requests).toHaveLength(30)
  expect(maxInFlight).toBe(3)
})

test('a rate limit spaces the requests evenly, and no delivery is lost', async () => {
  const { anEndpoint, aCustomer } = await switchyard.newWorkspace()
  await anEndpoint(receiver.url, { rate_limit: 50 })
  await Promise.all(Array.from({ length: 15 }, () => aCustomer()))
  const startedMs = performance.now()
  await switchyard.settle()

  expect(receiver.requests).toHaveLength(15)
  // Fourteen gaps of at least twenty milliseconds.
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(280)
})

test('with ordering by object the next event of an object waits for the previous one, and other objects are not delayed', async () => {
  const { anEndpoint, aCustomer, put } = await switchyard.newWorkspace()
  await anEndpoint(receiver.url, { ordering: 'object' })
  const [failing, working] = [await aCustomer(), await aCustomer()]
  for (const name of ['a', 'b']) for (const id of [failing, working]) await put(`/customers/${id}`, { name })
  const objectOf = (body: string) => JSON.parse(JSON.parse(body).data)
  receiver.answer = ({ body }, nth) => ({
    status: objectOf(body).object.id === failing && nth < 8 ? 422 : 200,
  })
  await switchyard.settle()
  // Only the first event of the failing object was sent; all events of the other object arrived in order.
  const eventsOf = (id: string) =>
    receiver.requests.map(({ body }) => objectOf(body)).filter(({ object }) => object.id === id)
  expect(eventsOf(failing).map(({ sequence }) => sequence)).toEqual([1])
  expect(eventsOf(working).map(({ sequence }) => sequence)).toEqual([1, 2, 3])

  receiver.answer = () => ({})
  // One more event while the first waits for its next attempt.
  await put(`/customers/${failing}`, { name: 'c' })
  await switchyard.settle()
  expect(eventsOf(failing).map(({ sequence }) => sequence)).toEqual([1])
  switchyard.clock.advance({ seconds: 6 })
  await switchyard.settle()
  expect(eventsOf(failing).map(({ sequence }) => sequence)).toEqual([1, 1, 2, 3, 4])
})

// The signature specification, line by line.
test('signature-digest is t=<TIMESTAMP>,<SIGNATURE_VERSION>=<SIGNATURE>[,...], of text <TIMESTAMP>.<DATA>, keyed with the secret as UTF-8', async () => {
  const { anEndpoint, aCustomer, secretOf } = await switchyard.newWorkspace()
  const secret = await secretOf(await anEndpoint(receiver.url))
  await aCustomer()
  await switchyard.settle()

  const [request] = receiver.requests
  const event = JSON.parse(request?.body ?? '')
  const t = Math.floor(Date.parse(event.created_at) / 1000)
  const digest = createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${t}.${event.data}`).digest('hex')
  expect(request?.headers['signature-digest']).toBe(`t=${t},v1=${digest}`)
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(secret).toMatch(/^whsec_./)
})

test('a request has one signature for every valid secret of the endpoint', async () => {
  const { anEndpoint, aCustomer, secretOf, post } = await switchyard.newWorkspace()
  const id = await anEndpoint(receiver.url)
  const older = await secretOf(id)
  await post(`/webhook-endpoints/${id}/rotate_secret`, { overlap_seconds: 60 })
  const newer = await secretOf(id)
  await aCustomer()
  await switchyard.settle()
  switchyard.clock.advance({ seconds: 61 })
  await aCustomer()
  await switchyard.settle()

  const [during, after] = receiver.requests
  expect(during?.headers['signature-digest']?.match(/v1=/g)).toHaveLength(2)
  for (const secret of [older, newer])
    await verifyWebhook({ body: during?.body ?? '', headers: during?.headers ?? {}, secret })
  expect(after?.headers['signature-digest']?.match(/v1=/g)).toHaveLength(1)
  await verifyWebhook({ body: after?.body ?? '', headers: after?.headers ?? {}, secret: newer })
  const withOlder = verifyWebhook({ body: after?.body ?? '', headers: after?.headers ?? {}, secret: older })
  await expect(withOlder).rejects.toThrow()
})

test('a retry has the same t and the same body, and is signed with the secrets that are valid when it is sent', async () => {
  const { anEndpoint, aCustomer, secretOf, post } = await switchyard.newWorkspace()
  const id = await anEndpoint(receiver.url)
  receiver.answer = (_, nth) => ({ status: nth === 1 ? 422 : 200 })
  await aCustomer()
  await switchyard.settle()
  await post(`/webhook-endpoints/${id}/rotate_secret`, { overlap_seconds: 0 })
  switchyard.clock.advance({ seconds: 6 })
  await switchyard.settle()

  const [first, second] = receiver.requests
  const tOf = (request: typeof first) => request?.headers['signature-digest']?.split(',')[0]
  expect(tOf(second)).toBe(tOf(first))
  expect(second?.body).toBe(first?.body)
  expect(second?.headers['switchyard-attempt']).toBe('2')
  await verifyWebhook({
    body: second?.body ?? '',
    headers: second?.headers ?? {},
    secret: await secretOf(id),
  })
})
