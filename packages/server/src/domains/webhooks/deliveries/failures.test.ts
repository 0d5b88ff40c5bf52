// Failing receivers: when deliveries are retried, for how long, and which events are emitted.

import { beforeEach, expect, test, vi } from 'vitest'
import { receiverForThisFile } from '../../../../test/support/receiver.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { createOutbound } from '../../../platform/outbound/client.ts'
import { liveWaits, testWaits } from './schedule.ts'

// Many tests in this file advance the clock by days, and process all due work after each step.
vi.setConfig({ testTimeout: 60_000 })

// Only test mode may send to loopback addresses. The receivers of this file run on this machine, so this
// client treats requests of live mode like requests of test mode.
const loopback = createOutbound({ allowCidrs: [], allowLoopback: true })
const outbound = {
  ...loopback,
  send: (request: Parameters<typeof loopback.send>[0]) => loopback.send({ ...request, mode: 'test' }),
  faultOf: (url: string) => loopback.faultOf(url, 'test'),
}
const switchyard = await switchyardForThisFile({ overrides: { outbound } })
const receiver = await receiverForThisFile()
beforeEach(() => receiver.clear())

// Retries of earlier tests may arrive during a later test, so each endpoint has its own path.
let pathCount = 0
const newReceiverPath = () => {
  pathCount += 1
  const path = `/hook-${pathCount}`
  return {
    path,
    url: receiver.at(path),
    requests: () => receiver.requests.filter((request) => request.path === path),
  }
}

const attemptsOf = async (workspace: Awaited<ReturnType<typeof switchyard.newWorkspace>>, id: string) =>
  (await workspace.get(`/deliveries/${id}`)).body.attempts

test.each([
  { mode: 'test', waits: testWaits },
  { mode: 'live', waits: liveWaits },
] as const)(
  'in $mode mode a failing delivery is retried $waits.length times on schedule, never early, then exhausted with an event',
  async ({ mode, waits }) => {
    const workspace = await switchyard.newWorkspace(mode)
    const [down, monitor] = [newReceiverPath(), newReceiverPath()]
    const id = await workspace.anEndpoint(down.url)
    await workspace.anEndpoint(monitor.url, { event_types: ['delivery.exhausted'] })
    receiver.answer = ({ path }) => ({ status: path === down.path ? 404 : 200 })
    await workspace.aCustomer()
    await switchyard.settle()

    const requestCount = () => down.requests().length
    for (const [nth, wait] of waits.entries()) {
      switchyard.clock.advance({ seconds: wait - 1 })
      await switchyard.settle()
      expect(requestCount()).toBe(nth + 1)
      // A fifth of the wait is random.
      switchyard.clock.advance({ seconds: 1 + wait * 0.2 })
      await switchyard.settle()
      expect(requestCount()).toBe(nth + 2)
    }
    const [delivery] = await workspace.deliveriesTo(id)
    const { values } = await switchyard.metrics.deliveriesExhausted.get()
    expect(values.find(({ labels }) => labels.mode === mode)?.value).toBe(1)
    expect(delivery).toMatchObject({ state: 'exhausted', last_outcome: 'http_error', last_status: 404 })

    switchyard.clock.advance({ days: 2 })
    await switchyard.settle()
    expect(requestCount()).toBe(waits.length + 1)
    const events = monitor.requests().map(({ body }) => JSON.parse(body))
    expect(events.map(({ type }) => type)).toEqual(['delivery.exhausted'])
    expect(JSON.parse(events[0].data)).toMatchObject({ sequence: 1, object: { id: delivery.id } })
  },
)

test('a receiver that is down for longer than the first six retries gets everything when it is back', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace('live')
  const id = await workspace.anEndpoint(hook.url)
  receiver.answer = () => ({ reset: true })
  for (let nth = 0; nth < 40; nth += 1) await workspace.aCustomer()
  // Two minutes at a time over two hours, which is past the sixth retry.
  for (let nth = 0; nth < 60; nth += 1) {
    switchyard.clock.advance({ minutes: 2 })
    await switchyard.settle()
  }
  // The open breaker prevented separate retries of each delivery.
  expect(hook.requests().length).toBeLessThan(100)
  expect((await workspace.get(`/webhook-endpoints/${id}`)).body.health).toMatchObject({ state: 'open' })

  receiver.clear()
  for (let nth = 0; nth < 60; nth += 1) {
    switchyard.clock.advance({ minutes: 10 })
    await switchyard.settle()
  }
  expect(new Set(hook.requests().map(({ headers }) => headers['webhook-id'])).size).toBe(40)
  const deliveries = await workspace.deliveriesTo(id)
  expect(deliveries.map(({ state }: { state: string }) => state)).toEqual(Array(40).fill('delivered'))
  expect((await workspace.get(`/webhook-endpoints/${id}`)).body.health).toMatchObject({ state: 'healthy' })
})

// biome-ignore format: a table.
test.each([
  { answer: { status: 302, headers: { location: 'http://169.254.169.254/latest' } }, outcome: 'redirect', status: 302 },
  { answer: { status: 400 }, outcome: 'http_error', status: 400 },
  { answer: { status: 500, body: 'boom' }, outcome: 'http_error', status: 500 },
  { answer: { status: 429 }, outcome: 'http_error', status: 429 },
  { answer: { status: 429, headers: { 'retry-after': '90' } }, outcome: 'throttled', status: 429 },
  { answer: { reset: true }, outcome: 'connect_failed', status: null },
] as const)('$outcome $status is a failure that is logged with the response and retried', async ({ answer, outcome, status }) => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(hook.url)
  receiver.answer = () => answer
  await workspace.aCustomer()
  await switchyard.settle()

  const [delivery] = await workspace.deliveriesTo(id)
  expect(delivery).toMatchObject({ state: 'pending', last_outcome: outcome, last_status: status })
  const [attempt] = await attemptsOf(workspace, delivery.id)
  expect(attempt).toMatchObject({ number: 1, trigger: 'schedule', outcome, status, connection_reused: false })
  if ('body' in answer) expect(attempt.response_body).toBe(answer.body)
  if ('headers' in answer) expect(attempt.response_headers).toMatchObject(answer.headers)
  if (status === null) expect(attempt.detail).toEqual(expect.any(String))
  else expect(attempt).toMatchObject({ remote_ip: '127.0.0.1', detail: null })

  receiver.clear()
  switchyard.clock.advance({ seconds: 100 })
  await switchyard.settle()
  expect(hook.requests()).toHaveLength(1)
  expect((await workspace.deliveriesTo(id))[0]).toMatchObject({ state: 'delivered', tries: 2 })
})

test('a timeout is a failure', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(hook.url, { timeout_seconds: 5 })
  receiver.answer = () => ({ hang: true })
  await workspace.aCustomer()
  await switchyard.settle()

  expect((await workspace.deliveriesTo(id))[0]).toMatchObject({ last_outcome: 'timeout', last_status: null })
})

test('Retry-After pauses all deliveries to the endpoint until the given time', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace()
  await workspace.anEndpoint(hook.url, { max_in_flight: 1 })
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '600' } })
  for (let nth = 0; nth < 5; nth += 1) await workspace.aCustomer()
  await switchyard.settle()
  // The response to the first delivery paused all others.
  expect(hook.requests()).toHaveLength(1)

  receiver.clear()
  switchyard.clock.advance({ seconds: 599 })
  await workspace.aCustomer()
  await switchyard.settle()
  expect(hook.requests()).toHaveLength(0)
  switchyard.clock.advance({ seconds: 200 })
  await switchyard.settle()
  expect(hook.requests()).toHaveLength(6)
})

test('a response with status 410 disables the endpoint, and its undelivered events are held', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(hook.url)
  receiver.answer = () => ({ status: 410 })
  await workspace.aCustomer()
  await switchyard.settle()

  const { body: endpoint } = await workspace.get(`/webhook-endpoints/${id}`)
  expect(endpoint).toMatchObject({ status: 'disabled', disabled: { reason: 'gone' } })
  await workspace.aCustomer()
  await switchyard.settle()
  const states = (await workspace.deliveriesTo(id)).map(({ state }: { state: string }) => state)
  expect(states).toEqual(['held', 'held'])
  expect(hook.requests()).toHaveLength(1)

  receiver.clear()
  await workspace.post(`/webhook-endpoints/${id}/enable`, {})
  await switchyard.settle()
  expect(hook.requests()).toHaveLength(2)
})

test('a disabled endpoint gets no requests, and gets all events when it is enabled again', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(hook.url)
  await workspace.aCustomer()
  await workspace.post(`/webhook-endpoints/${id}/disable`, {})
  for (let nth = 0; nth < 5; nth += 1) await workspace.aCustomer()
  await switchyard.settle()
  expect(hook.requests()).toHaveLength(0)

  await workspace.post(`/webhook-endpoints/${id}/enable`, {})
  await switchyard.settle()
  expect(new Set(hook.requests().map(({ headers }) => headers['webhook-id'])).size).toBe(6)
})

test('the breaker opens after five consecutive failures, probes after 5 s and then at growing intervals, and closes on a success', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace('live')
  const id = await workspace.anEndpoint(hook.url, { max_in_flight: 1 })
  receiver.answer = () => ({ status: 500 })
  for (let nth = 0; nth < 20; nth += 1) await workspace.aCustomer()
  await switchyard.settle()
  expect(hook.requests()).toHaveLength(5)
  const healthState = async () => (await workspace.get(`/webhook-endpoints/${id}`)).body.health.state
  expect(await healthState()).toBe('open')

  // After 5, 10, 20 seconds: one request each time.
  for (const [seconds, expectedRequests] of [
    [4, 5],
    [1, 6],
    [9, 6],
    [1, 7],
    [19, 7],
    [1, 8],
  ] as const) {
    switchyard.clock.advance({ seconds })
    await switchyard.settle()
    expect(hook.requests()).toHaveLength(expectedRequests)
  }
  const untried = (await workspace.deliveriesTo(id)).filter(({ tries }: { tries: number }) => tries === 0)
  expect(untried.length).toBeGreaterThan(10)
  receiver.clear()
  switchyard.clock.advance({ minutes: 10 })
  await switchyard.settle()
  expect(await healthState()).toBe('healthy')
  expect(hook.requests()).toHaveLength(20)
  const { body: delivery } = await workspace.get(
    `/deliveries/${hook.requests()[0]?.headers['switchyard-delivery']}`,
  )
  expect(delivery.attempts.at(-1).trigger).toBe('probe')
})

test('events are emitted when an endpoint has failed for 1 h, 24 h and 72 h, and after 5 days it is disabled without losing deliveries', async () => {
  const workspace = await switchyard.newWorkspace('live')
  const [down, monitor] = [newReceiverPath(), newReceiverPath()]
  const id = await workspace.anEndpoint(down.url)
  await workspace.anEndpoint(monitor.url, { event_types: ['webhook_endpoint.*'] })
  receiver.answer = ({ path }) => ({ status: path === down.path ? 500 : 200 })
  for (let nth = 0; nth < 12; nth += 1) await workspace.aCustomer()
  await switchyard.settle()
  const eventTypes = () => monitor.requests().map(({ body }) => JSON.parse(body).type)

  // Create an event every six hours, so that deliveries continue to fail.
  for (let hour = 0; hour <= 5 * 24 + 6; hour += 1) {
    if (hour % 6 === 0) await workspace.aCustomer()
    for (let quarter = 0; quarter < 4; quarter += 1) {
      switchyard.clock.advance({ minutes: 15 })
      await switchyard.settle()
    }
    if (hour === 2) expect(eventTypes()).toEqual(['webhook_endpoint.failing'])
    if (hour === 30) expect(eventTypes()).toHaveLength(2)
  }
  expect(eventTypes().slice(0, 3)).toEqual(Array(3).fill('webhook_endpoint.failing'))
  expect(eventTypes().at(-1)).toBe('webhook_endpoint.disabled')
  expect((await workspace.get(`/webhook-endpoints/${id}`)).body.disabled).toMatchObject({ reason: 'failing' })
  const lost = (await workspace.deliveriesTo(id)).filter(
    ({ state }: { state: string }) => state !== 'held' && state !== 'exhausted',
  )
  expect(lost).toEqual([])
})

test('when an endpoint that was reported as failing works again, webhook_endpoint.recovered is emitted', async () => {
  const workspace = await switchyard.newWorkspace('live')
  const [down, monitor] = [newReceiverPath(), newReceiverPath()]
  await workspace.anEndpoint(down.url)
  await workspace.anEndpoint(monitor.url, { event_types: ['webhook_endpoint.*'] })
  receiver.answer = ({ path }) => ({ status: path === down.path ? 500 : 200 })
  await workspace.aCustomer()
  for (let quarter = 0; quarter < 12; quarter += 1) {
    await switchyard.settle()
    switchyard.clock.advance({ minutes: 15 })
  }
  receiver.answer = () => ({})
  switchyard.clock.advance({ hours: 6 })
  await switchyard.settle()
  const eventTypes = monitor.requests().map(({ body }) => JSON.parse(body).type)

  expect(eventTypes).toEqual(['webhook_endpoint.failing', 'webhook_endpoint.recovered'])
})

test('an attempt in flight while the delivery was resent is logged in addition to the new one', async () => {
  const hook = newReceiverPath()
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.anEndpoint(hook.url)
  let reportArrival = () => {}
  const firstArrival = new Promise<void>((resolve) => {
    reportArrival = resolve
  })
  receiver.answer = (_, nth) => {
    reportArrival()
    return nth === 1 ? { status: 404, delayMs: 300 } : {}
  }
  await workspace.aCustomer()
  const dispatching = switchyard.settle()
  await firstArrival
  const [delivery] = await workspace.deliveriesTo(id)
  await workspace.post(`/deliveries/${delivery.id}/resend`, {})
  await dispatching
  await switchyard.settle()

  expect((await workspace.deliveriesTo(id))[0]).toMatchObject({ state: 'delivered', attempts_made: 2 })
  const attempts = await attemptsOf(workspace, delivery.id)
  expect(
    attempts.map(({ number, outcome }: { number: number; outcome: string }) => [number, outcome]),
  ).toEqual([
    [1, 'http_error'],
    [2, 'ok'],
  ])
})
