// The control API for tests: configuration, time, and the ledger.

import { networkInterfaces } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { defaultConfig, isDeclinedAtRandom, latencyOf } from '../src/config.ts'
import { startSimulator } from '../src/index.ts'
import { charge, controlOf, type Members, newAuthorization, newMerchant } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())
const control = controlOf(simulator.url)

test('a configuration changes only the given members', async () => {
  const merchant = await newMerchant(simulator.url, { auth_rate: 0.5 })
  const changed = await merchant.configure({ latency_ms: 3 })

  expect(changed).toMatchObject({ auth_rate: 0.5, latency_ms: 3, replay: true })
  expect(await merchant.control('GET', 'config')).toEqual(changed)
})

const invalidConfigs: Members[] = [
  { auth_rate: 1.1 },
  { latency_ms: -1 },
  { latency_ms: { p50: 1 } },
  { outage: { from_at: 'noon', until_at: 'night' } },
  { webhooks: 'often' },
  { secrets: ['whsec_1'] },
  { secrets: ['psec_1', 'psec_2', 'psec_3'] },
  { webhook_url: 'nowhere' },
  { latency: 3 },
  { toString: 1 },
]

test.each(invalidConfigs)('the invalid configuration %j is rejected and changes nothing', async (changes) => {
  const merchant = await newMerchant(simulator.url)
  const before = await merchant.control('GET', 'config')

  await expect(merchant.control('PUT', 'config', { replay: false, ...changes })).rejects.toThrow('400')
  expect(await merchant.control('GET', 'config')).toEqual(before)
})

test('with an approval rate, the reference determines whether a charge is approved: a repeated run has the same results', async () => {
  const merchant = await newMerchant(simulator.url, { auth_rate: 0.7 })
  const requests = Array.from({ length: 50 }, (_, at) => charge(undefined, { reference: `draw-${at}` }))
  const run = async () => {
    const responses = await Promise.all(requests.map((request) => merchant.put(request)))
    return responses.map(({ body }) => body.status)
  }

  const first = await run()
  await merchant.control('POST', 'reset')

  expect(new Set(first)).toEqual(new Set(['succeeded', 'declined']))
  expect(await run()).toEqual(first)
})

test('the share of approvals matches the approval rate', () => {
  const config = { ...defaultConfig, auth_rate: 0.7 }
  const approved = Array.from({ length: 10_000 }, (_, at) => `reference-${at}`).filter(
    (reference) => !isDeclinedAtRandom(config, reference),
  )

  // Four standard deviations to either side.
  expect(Math.abs(approved.length - 7_000)).toBeLessThan(184)
})

test('latency delays the response and the charge', async () => {
  const merchant = await newMerchant(simulator.url, { latency_ms: 10_000 })
  const sent = merchant.put(charge())
  await merchant.waitForCalls(1)

  await merchant.advance(9_000)
  expect(await merchant.facts()).toEqual([])
  await merchant.advance(1_000)

  expect((await sent).status).toBe(200)
})

test('the latency distribution has the configured median and 99th percentile', async () => {
  const config = { ...defaultConfig, latency_ms: { p50: 100, p99: 1_000 } }
  const latencies = Array.from({ length: 4_000 }, (_, at) => latencyOf(config, `reference-${at}`)).sort(
    (a, b) => a - b,
  )

  expect(latencies[2_000]).toBeGreaterThan(90)
  expect(latencies[2_000]).toBeLessThan(110)
  expect(latencies[3_960]).toBeGreaterThan(750)
  expect(latencies[3_960]).toBeLessThan(1_350)
})

test('an outage responds with 503; for a reference that is not in the ledger it proves that nothing happened', async () => {
  const merchant = await newMerchant(simulator.url)
  const charged = charge()
  await merchant.put(charged)
  await merchant.configure({ outage: true })

  expect(await merchant.put(charge())).toEqual({ status: 503, body: { processed: false } })
  const repeat = await merchant.put(charged)
  expect(repeat.status).toBe(503)
  expect(repeat.body.processed).toBeUndefined()
  expect((await merchant.call('GET', 'health')).status).toBe(503)

  await merchant.configure({ outage: false })
  expect((await merchant.put(charged)).status).toBe(200)
  expect(await merchant.facts()).toHaveLength(1)
})

test('an outage can be limited to a time range', async () => {
  const merchant = await newMerchant(simulator.url)
  const { now } = (await merchant.advance(0)) as { now: string }
  const after = (ms: number) => new Date(Date.parse(now) + ms).toISOString()
  await merchant.configure({ outage: { from_at: after(60_000), until_at: after(120_000) } })

  const health = async () => (await merchant.call('GET', 'health')).status
  expect(await health()).toBe(200)
  await merchant.advance(60_000)
  expect(await health()).toBe(503)
  await merchant.advance(60_000)
  expect(await health()).toBe(200)
})

test('an outage can close connections instead of responding', async () => {
  const merchant = await newMerchant(simulator.url, { outage: true, outage_manner: 'hang_up' })
  await expect(merchant.put(charge())).rejects.toThrow()
})

test('an account can be configured without lookup and close', async () => {
  const merchant = await newMerchant(simulator.url, { lookup: false, close: false })
  const request = charge()
  await merchant.put(request)

  // Not 404: an account that cannot look up operations must not claim that there is none.
  expect((await merchant.lookUp(request.reference)).status).toBe(501)
  expect((await merchant.close(request.reference)).status).toBe(501)
})

test('lookups find an operation only after lookup_lag_ms', async () => {
  const merchant = await newMerchant(simulator.url, { lookup_lag_ms: 5_000 })
  const request = charge()
  const done = await merchant.put(request)

  expect((await merchant.lookUp(request.reference)).status).toBe(404)
  await merchant.advance(5_000)
  expect(await merchant.lookUp(request.reference)).toEqual(done)
})

test('calls are recorded without card numbers and CVCs', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()
  await merchant.put(request)
  await merchant.put(charge(), { secret: 'psec_wrong' })

  const calls = await merchant.calls()
  expect(calls).toMatchObject([
    {
      method: 'PUT',
      path: `/${merchant.account}/operations/${request.reference}`,
      idempotency_key: request.reference,
      signature: 'valid',
      body: { payment_id: request.payment_id, instrument: { type: 'card', last4: '4242' } },
      answer: '200 plain',
    },
    { signature: 'invalid', answer: '401 plain' },
  ])
  expect(JSON.stringify(calls)).not.toMatch(/4242424242424242|"737"|cvc/)
})

test('sums are per payment and currency, over one account or all of them', async () => {
  const [firstMerchant, secondMerchant] = [await newMerchant(simulator.url), await newMerchant(simulator.url)]
  const payment = charge()
  const yenCharge = { ...payment, reference: `${payment.reference}-2`, currency: 'jpy' }
  await firstMerchant.put(payment)
  await secondMerchant.put(newAuthorization(undefined, { payment_id: payment.payment_id }))
  await secondMerchant.put(yenCharge)

  expect(await firstMerchant.sums(payment.payment_id)).toMatchObject([
    { currency: 'eur', approvals: 1, captured: 1250 },
  ])
  expect(await control('GET', `sums?payment_id=${payment.payment_id}`)).toMatchObject({
    sums: [
      { currency: 'eur', approvals: 2, authorized: 2500, captured: 1250 },
      { currency: 'jpy', approvals: 1, authorized: 1250, captured: 1250 },
    ],
  })
})

test('a reset deletes the ledger of one account and keeps its configuration', async () => {
  const [firstMerchant, secondMerchant] = [await newMerchant(simulator.url), await newMerchant(simulator.url)]
  const request = charge()
  await firstMerchant.put(request)
  await secondMerchant.put(charge())

  await firstMerchant.control('POST', 'reset')

  expect(await firstMerchant.facts()).toEqual([])
  expect(await secondMerchant.facts()).toHaveLength(1)
  expect((await firstMerchant.lookUp(request.reference)).status).toBe(404)
})

test('the control API is available only on this machine', async () => {
  const elsewhere = await startSimulator({ host: '0.0.0.0' })
  const port = new URL(elsewhere.url).port
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4')

  expect((await fetch(`http://127.0.0.1:${port}/control/one/config`)).status).toBe(200)
  if (outside !== undefined) {
    expect((await fetch(`http://${outside.address}:${port}/control/one/config`)).status).toBe(403)
  }
  await elsewhere.stop()
})

test.each([
  ['GET', 'nothing'],
  ['GET', 'one/nothing'],
  ['DELETE', 'one/ledger'],
  ['GET', 'o$e/ledger'],
])('%s /control/%s is not found', async (method, path) => {
  await expect(control(method, path)).rejects.toThrow('404')
})
