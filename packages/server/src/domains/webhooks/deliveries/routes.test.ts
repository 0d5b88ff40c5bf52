import { beforeEach, expect, test } from 'vitest'
import { verifyWebhook } from '../../../../../sdk/src/webhooks.ts'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

test('a delivery shows every attempt, the headers that were sent and the response', async () => {
  const { anEndpoint, aCustomer, deliveriesTo, get } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  receiver.answer = (_, nth) => (nth === 1 ? { status: 500, body: 'out of order' } : { status: 201 })
  await aCustomer()
  await switchyard.settle()
  switchyard.clock.advance({ seconds: 10 })
  await switchyard.settle()

  const [listed] = await deliveriesTo(endpointId)
  const { status, body } = await get(`/deliveries/${listed.id}`)

  expect(status).toBe(200)
  const { attempts, ...delivery } = body
  expect(delivery).toEqual(listed)
  const [first, second] = receiver.requests
  const { body: event } = await get(`/events/${delivery.event_id}`)
  expect(delivery).toEqual({
    id: expect.stringMatching(/^delivery_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'delivery',
    event_id: first?.headers['webhook-id'],
    event_type: 'customer.created',
    webhook_endpoint_id: endpointId,
    state: 'delivered',
    tries: 2,
    attempts_made: 2,
    next_attempt_at: null,
    last_outcome: 'ok',
    last_status: 201,
    settled_at: '2026-11-14T12:00:10.000Z',
    created_at: event.created_at,
  })
  expect(attempts).toMatchObject([
    { number: 1, trigger: 'schedule', outcome: 'http_error', status: 500, response_body: 'out of order' },
    { number: 2, trigger: 'schedule', outcome: 'ok', status: 201, next_attempt_at: null },
  ])
  for (const [index, sent] of [first, second].entries()) {
    const { request_headers, ...attempt } = attempts[index]
    expect(sent?.headers).toMatchObject(request_headers)
    expect(Object.keys(request_headers)).toHaveLength(4)
    expect(attempt).toMatchObject({
      remote_ip: '127.0.0.1',
      detail: null,
      secret_ids: [expect.stringMatching(/^webhook_secret_test_/)],
      response_headers: { connection: expect.any(String) },
      duration_ms: expect.any(Number),
    })
  }
  expect(attempts[0].next_attempt_at > '2026-11-14T12:00:05').toBe(true)
})

test('only an ADMIN sees signatures, so that other roles cannot replay a signed request', async () => {
  const { anEndpoint, aCustomer, deliveriesTo, get, post, secretOf, tokenFor } =
    await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  await aCustomer()
  await switchyard.settle()
  const [{ id }] = await deliveriesTo(endpointId)
  const { body: forAdmin } = await get(`/deliveries/${id}`)
  const { body: event } = await get(`/events/${forAdmin.event_id}`)
  const [sent] = receiver.requests
  expect(sent?.headers).toMatchObject(forAdmin.attempts[0].request_headers)
  const secret = await secretOf(endpointId)
  const t = Math.floor(Date.parse(event.created_at) / 1000)

  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const) {
    const { status, body } = await get(`/deliveries/${id}`, { token: await tokenFor(role) })

    expect(status).toBe(200)
    const headers = body.attempts[0].request_headers
    expect(headers).toEqual({
      ...forAdmin.attempts[0].request_headers,
      'signature-digest': `t=${t},v1=redacted`,
      'webhook-signature': 'v1,redacted',
    })
    const replayed = { body: JSON.stringify(event), headers, secret, signatureDigestOnly: true }
    await expect(verifyWebhook(replayed)).rejects.toMatchObject({ reason: 'no_match' })
  }

  const token = await tokenFor('DEVELOPER')
  const { body: testDelivery } = await post(`/webhook-endpoints/${endpointId}/test`, {}, { token })
  expect(testDelivery.attempts[0].request_headers).toMatchObject({
    'signature-digest': expect.stringMatching(/^t=\d+,v1=redacted$/),
    'webhook-signature': 'v1,redacted',
  })
})

test('a pending delivery shows when its next attempt is due', async () => {
  const { anEndpoint, aCustomer, deliveriesTo } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  await aCustomer()

  const [delivery] = await deliveriesTo(endpointId)

  expect(delivery).toMatchObject({ state: 'pending', attempts_made: 0, last_outcome: null, settled_at: null })
  expect(Date.parse(delivery.next_attempt_at)).toBe((switchyard.clock.read() as { at: Date }).at.getTime())
})

test('deliveries of an endpoint are listed page by page, newest first', async () => {
  const { anEndpoint, aCustomer, get } = await switchyard.newWorkspace()
  const [endpointId, other] = [await anEndpoint(receiver.url), await anEndpoint(receiver.url)]
  for (let nth = 0; nth < 3; nth += 1) await aCustomer()
  const path = `/webhook-endpoints/${endpointId}/deliveries`

  const { body: first } = await get(`${path}?limit=2`)
  const { body: rest } = await get(`${path}?limit=2&starting_after=${first.data[1].id}`)

  expect(first).toMatchObject({ object: 'list', has_more: true, url: path })
  expect(rest).toMatchObject({ has_more: false })
  const listed = [...first.data, ...rest.data]
  expect(listed).toHaveLength(3)
  expect(listed.map(({ id }) => id)).toEqual(
    listed
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  )
  expect(new Set(listed.map((delivery) => delivery.webhook_endpoint_id))).toEqual(new Set([endpointId]))
  expect((await get(`/webhook-endpoints/${other}/deliveries`)).body.data).toHaveLength(3)
})

test('held and exhausted deliveries can be listed by state, and a filter by another state is rejected', async () => {
  const { anEndpoint, aCustomer, get, post } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.url)
  const path = `/webhook-endpoints/${endpointId}/deliveries`
  await aCustomer()
  await switchyard.settle()
  await post(`/webhook-endpoints/${endpointId}/disable`)
  await aCustomer()

  const { body: held } = await get(`${path}?state=held`)

  expect(held.data).toMatchObject([{ state: 'held', next_attempt_at: null }])
  expect((await get(`${path}?state=exhausted`)).body.data).toEqual([])
  expect((await get(path)).body.data).toHaveLength(2)
  for (const state of ['pending', 'delivered', 'deleted']) {
    expect(await get(`${path}?state=${state}`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/state', code: 'not_in_list' }] },
    })
  }
})

test('an event shows how many of its deliveries are pending', async () => {
  const { anEndpoint, aCustomer, get, post } = await switchyard.newWorkspace()
  await anEndpoint(receiver.at('/one'))
  const failing = await anEndpoint(receiver.at('/two'))
  const disabled = await anEndpoint(receiver.at('/three'))
  await post(`/webhook-endpoints/${disabled}/disable`)
  await switchyard.settle()
  receiver.answer = ({ path }) => ({ status: path === '/two' ? 500 : 200 })
  const id = await aCustomer()
  const pending = async () => (await get(`/events?object_id=${id}`)).body.data[0].pending_deliveries

  expect(await pending()).toBe(3)
  await switchyard.settle()
  // One failed and will be retried, one is held.
  expect(await pending()).toBe(2)
  await post(`/webhook-endpoints/${disabled}/enable`)
  receiver.clear()
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()
  expect(await pending()).toBe(0)
  expect((await get(`/webhook-endpoints/${failing}/deliveries`)).body.data[0].state).toBe('delivered')
})

test('pending_deliveries does not count deliveries of other events of the same millisecond', async () => {
  const { anEndpoint, aCustomer, get } = await switchyard.newWorkspace()
  await anEndpoint(receiver.url)
  const distinctTimes = (events: readonly { created_at: string }[]) =>
    new Set(events.map(({ created_at }) => created_at)).size
  const latest = async () => {
    await Promise.all(Array.from({ length: 40 }, () => aCustomer()))
    return (await get('/events?limit=40&type=customer.created')).body.data
  }

  let events = await latest()
  // On a busy machine it can take several rounds until two events have the same millisecond.
  for (let tries = 0; tries < 20 && distinctTimes(events) === 40; tries += 1) events = await latest()

  const counts = events.map((event: { pending_deliveries: number }) => event.pending_deliveries)
  expect(counts).toEqual(Array(40).fill(1))
  // Without two events of the same millisecond this test would prove nothing.
  expect(distinctTimes(events)).toBeLessThan(40)
})

test('figures cover the latest deliveries, and rates are null without deliveries', async () => {
  const { anEndpoint, aCustomer, get } = await switchyard.newWorkspace()
  const endpointId = await anEndpoint(receiver.at('/figures'))
  const figures = async () => (await get(`/webhook-endpoints/${endpointId}/figures`)).body
  const httpOutcomes = { ok: 0, redirect: 0, gone: 0, throttled: 0, http_error: 0, timeout: 0 }
  const connectionOutcomes = { dns_failed: 0, connect_failed: 0, tls_failed: 0, blocked: 0 }

  expect(await figures()).toEqual({
    object: 'webhook_endpoint_figures',
    webhook_endpoint_id: endpointId,
    since_at: null,
    deliveries: 0,
    delivered: 0,
    delivered_first_try: 0,
    failed: 0,
    waiting: 0,
    attempts: 0,
    success_rate: null,
    p50_ms: null,
    p95_ms: null,
    outcomes: { ...httpOutcomes, ...connectionOutcomes },
    next_attempt_at: null,
  })

  receiver.answer = ({ path }, nth) => ({ status: path === '/figures' && nth === 2 ? 404 : 200 })
  for (let nth = 0; nth < 3; nth += 1) {
    await aCustomer()
    await switchyard.settle()
  }
  const afterFailure = await figures()
  expect(afterFailure).toMatchObject({
    deliveries: 3,
    delivered: 2,
    delivered_first_try: 2,
    waiting: 1,
    failed: 0,
  })
  expect(afterFailure).toMatchObject({
    attempts: 3,
    success_rate: 0.6667,
    outcomes: { ok: 2, http_error: 1 },
  })
  expect(Date.parse(afterFailure.next_attempt_at)).toBeGreaterThan(Date.parse('2026-11-14T12:00:05.000Z'))
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()
  const afterRetry = await figures()
  expect(afterRetry).toMatchObject({ delivered: 3, delivered_first_try: 2, waiting: 0, attempts: 4 })
  expect(afterRetry).toMatchObject({ success_rate: 0.75, p95_ms: expect.any(Number), next_attempt_at: null })
  const { body: list } = await get(`/webhook-endpoints/${endpointId}/deliveries`)
  expect(afterRetry.since_at).toBe(list.data.at(-1).created_at)
})

test('the deliveries of one event to all endpoints can be listed', async () => {
  const { anEndpoint, aCustomer, get } = await switchyard.newWorkspace()
  const endpoints = [await anEndpoint(receiver.url), await anEndpoint(receiver.url)]
  await aCustomer()
  const { body: events } = await get(`/events?object_id=${await aCustomer()}`)
  const [{ id }] = events.data
  const list = async (query: string) => (await get(`/deliveries?${query}`)).body

  const first = await list(`event_id=${id}&limit=1`)
  const second = await list(`event_id=${id}&starting_after=${first.data[0].id}`)

  const both: { event_id: string; webhook_endpoint_id: string }[] = [...first.data, ...second.data]
  expect(both.map(({ event_id }) => event_id)).toEqual([id, id])
  expect(both.map((delivery) => delivery.webhook_endpoint_id).toSorted()).toEqual(endpoints.toSorted())
  expect([first.has_more, second.has_more]).toEqual([true, false])
  expect((await list('')).data).toHaveLength(4)
  expect(await get('/deliveries?event_id=nobody')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/event_id', detail: 'must be the id of an event' }] },
  })
})
