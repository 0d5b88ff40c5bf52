// Test events, which are sent while the caller waits for the result.

import { beforeEach, expect, test } from 'vitest'
import { verifyWebhook } from '../../../../../sdk/src/webhooks.ts'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { eventTypes } from '../../../event-types.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

test('a test event is sent immediately, signed like any event, and the response contains its attempt', async () => {
  const { anEndpoint, post, secretOf } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  receiver.answer = () => ({ status: 202, body: 'thanks' })

  const { status, body } = await post(`/webhook-endpoints/${endpointId}/test`)

  expect(status).toBe(200)
  expect(body).toMatchObject({
    object: 'delivery',
    event_type: 'webhook_endpoint.test',
    state: 'delivered',
    attempts_made: 1,
    last_status: 202,
    attempts: [{ number: 1, trigger: 'test', outcome: 'ok', status: 202, response_body: 'thanks' }],
  })
  const [request, ...others] = receiver.requests
  expect(others).toEqual([])
  const secret = await secretOf(endpointId)
  const event = await verifyWebhook({ body: request?.body ?? '', headers: request?.headers ?? {}, secret })
  expect(event).toMatchObject({
    id: body.event_id,
    type: 'webhook_endpoint.test',
    content: { object: { id: endpointId, url: receiver.url } },
  })
})

test('a failed test event is not retried, and emits no event', async () => {
  const { anEndpoint, post, get } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  await anEndpoint(receiver.at('/monitor'), { event_types: ['delivery.exhausted'] })
  receiver.answer = () => ({ status: 500 })

  const { status, body } = await post(`/webhook-endpoints/${endpointId}/test`)
  switchyard.clock.advance({ days: 1 })
  await switchyard.settle()

  expect([status, body.state, body.last_outcome]).toEqual([200, 'exhausted', 'http_error'])
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook'])
  expect((await get('/events?type=delivery.exhausted')).body.data).toEqual([])
  // A single test request says nothing about the health of the endpoint.
  expect((await get(`/webhook-endpoints/${endpointId}`)).body.health.state).toBe('healthy')
})

test('an unreachable receiver is reported as the result of the attempt, not as an error of the request', async () => {
  const { anEndpoint, post } = await switchyard.newWorkspace()
  // No server is running at this address.
  const endpointId = await anEndpoint('http://127.0.0.1:1024/hook')

  const { status, body } = await post(`/webhook-endpoints/${endpointId}/test`)

  expect(status).toBe(200)
  expect(body).toMatchObject({ state: 'exhausted', attempts: [{ outcome: 'connect_failed', status: null }] })
  expect(body.attempts[0].detail).toEqual(expect.any(String))
})

test('a test event is sent only to the tested endpoint, whatever the endpoints subscribe to', async () => {
  const { anEndpoint, post, get } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.at('/tested'), { event_types: ['customer.deleted'] })
  await anEndpoint(receiver.at('/other'), { event_types: ['*'] })
  await switchyard.settle()
  receiver.clear()

  const { body } = await post(`/webhook-endpoints/${endpointId}/test`)
  await switchyard.settle()

  expect(receiver.requests.map(({ path }) => path)).toEqual(['/tested'])
  const { body: event } = await get(`/events/${body.event_id}`)
  expect(event).toMatchObject({ type: 'webhook_endpoint.test', pending_deliveries: 0 })
})

test('a disabled endpoint can be tested', async () => {
  const { anEndpoint, post } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  await post(`/webhook-endpoints/${endpointId}/disable`)

  const { body } = await post(`/webhook-endpoints/${endpointId}/test`)

  expect(body.state).toBe('delivered')
  expect(receiver.requests).toHaveLength(1)
})

test.each(eventTypes)('in test mode a sample of $type can be sent', async ({ type, schema }) => {
  const { anEndpoint, post } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)

  const { status, body } = await post(`/webhook-endpoints/${endpointId}/test`, { type })

  expect([status, body.state, body.event_type]).toEqual([200, 'delivered', type])
  const { data } = JSON.parse(receiver.requests[0]?.body ?? '')
  const members = Object.keys((schema as { properties?: object }).properties ?? {})
  expect(Object.keys(JSON.parse(data).object)).toEqual(members)
})

test('in live mode only the test event can be sent', async () => {
  const { anEndpoint, post } = await switchyard.newWorkspace('live')
  const endpointId = await anEndpoint('https://shop.example.com/webhooks')

  expect(await post(`/webhook-endpoints/${endpointId}/test`, { type: 'customer.created' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/type', code: 'not_in_list' }] },
  })
})

test('an unknown type is rejected', async () => {
  const { anEndpoint, post } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)

  expect(await post(`/webhook-endpoints/${endpointId}/test`, { type: 'customer.invented' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/type' }] },
  })
})

test('a repeated request with the same idempotency key gets the same response and sends nothing', async () => {
  const { anEndpoint, post } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  const headers = { 'idempotency-key': 'try-1' }
  const sendTest = () => post(`/webhook-endpoints/${endpointId}/test`, {}, { headers })

  const [first, second] = [await sendTest(), await sendTest()]

  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(receiver.requests).toHaveLength(1)
})
