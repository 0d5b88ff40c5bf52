// The webhooks that an account sends to its merchant, and how often.

import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { cardNumberForScenario } from '../src/cards.ts'
import { type Config, startSimulator } from '../src/index.ts'
import { charge, goodCard, newMerchant, operationOn } from './support/merchant.ts'
import { startReceiver } from './support/receiver.ts'

const simulator = await startSimulator()
const receiver = await startReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})
beforeEach(() => {
  receiver.clear()
  receiver.respondWith(200)
})

/** `flush` waits until all webhooks in progress were sent. */
async function merchantWith(config: Partial<Config> = {}) {
  const merchant = await newMerchant(simulator.url, { webhook_url: receiver.url, ...config })
  receiver.secrets.splice(0, receiver.secrets.length, merchant.secret)
  const flush = async () => (await merchant.control('POST', 'webhooks/flush')).waiting
  return { ...merchant, flush }
}

const receivedWebhooks = () =>
  receiver.webhooks.map(({ valid, operation }) => ({ valid, status: operation.status }))

test('a result is sent once, signed, with the record that a lookup returns', async () => {
  const merchant = await merchantWith()
  const { body } = await merchant.put(charge())

  expect(await merchant.flush()).toBe(0)

  expect(receiver.webhooks).toEqual([
    { id: expect.stringMatching(/^event_/), type: 'operation.updated', operation: body, valid: true },
  ])
})

test('both secrets sign during a rotation', async () => {
  const merchant = await merchantWith()
  await merchant.configure({ secrets: ['psec_new', merchant.secret] })
  await merchant.put(charge())
  await merchant.flush()

  expect(receivedWebhooks()).toEqual([{ valid: true, status: 'succeeded' }])
})

test('nothing is sent if webhooks are off, or about a rejected operation', async () => {
  const off = await merchantWith({ webhooks: 'off' })
  await off.put(charge())
  await off.flush()
  const on = await merchantWith()
  await on.put(charge(undefined, { amount: -1 }))
  await on.flush()

  expect(receivedWebhooks()).toEqual([])
})

test('`twice` sends the same event twice', async () => {
  const merchant = await merchantWith({ webhooks: 'twice' })
  await merchant.put(charge())
  await merchant.flush()

  const [first, second] = receiver.webhooks
  expect(receiver.webhooks).toHaveLength(2)
  expect(second).toEqual(first)
})

test('`reordered` sends the newest first', async () => {
  const merchant = await merchantWith({ webhooks: 'reordered' })
  const requests = [charge(), charge(), charge()]
  for (const request of requests) await merchant.put(request)
  expect(receivedWebhooks()).toEqual([])

  await merchant.advance(3_000)

  const references = receiver.webhooks.map(({ operation }) => operation.reference)
  expect(references).toEqual(requests.map(({ reference }) => reference).reverse())
})

test('5012 sends the webhook before the response', async () => {
  const merchant = await merchantWith()
  await merchant.put(charge(cardNumberForScenario('5012')))

  expect(receivedWebhooks()).toEqual([{ valid: true, status: 'succeeded' }])
})

test('5013 sends one event three times', async () => {
  const merchant = await merchantWith()
  await merchant.put(charge(cardNumberForScenario('5013')))
  await merchant.flush()

  expect(receiver.webhooks).toHaveLength(3)
  expect(new Set(receiver.webhooks.map(({ id }) => id)).size).toBe(1)
})

test('5016 sends pending, and later succeeded', async () => {
  const merchant = await merchantWith()
  await merchant.put(charge(cardNumberForScenario('5016')))
  await merchant.flush()
  await merchant.advance(5_000)

  expect(receivedWebhooks().map(({ status }) => status)).toEqual(['pending', 'succeeded'])
})

test('5020 sends a forged success, and no webhook about the decline', async () => {
  const merchant = await merchantWith()
  const request = charge(cardNumberForScenario('5020'))
  await merchant.putWithoutResponse(request)
  await merchant.flush()

  expect(receivedWebhooks()).toEqual([{ valid: false, status: 'succeeded' }])
  expect((await merchant.put(request)).body).toMatchObject({
    status: 'declined',
    decline: { code: 'do_not_honor' },
  })
})

test('a webhook that is not acknowledged is retried after 1, 5, 30 seconds and 5 minutes, and then no more', async () => {
  const merchant = await merchantWith()
  receiver.respondWith(500)
  await merchant.put(charge())
  await merchant.waitForCalls(1)
  while (receiver.webhooks.length < 1) await new Promise(setImmediate)

  const counts = []
  for (const seconds of [1, 5, 30, 300, 3_600]) {
    await merchant.advance(seconds * 1_000)
    counts.push(receiver.webhooks.length)
  }

  expect(counts).toEqual([2, 3, 4, 5, 5])
  expect(new Set(receiver.webhooks.map(({ id }) => id)).size).toBe(1)
})

test('a flush immediately retries webhooks that wait for their next attempt', async () => {
  const merchant = await merchantWith()
  receiver.respondWith(500)
  await merchant.put(charge())
  expect(await merchant.flush()).toBe(1)
  receiver.respondWith(200)

  expect(await merchant.flush()).toBe(0)
})

test('401 means that the signature does not match, and ends the retries', async () => {
  const merchant = await merchantWith()
  receiver.secrets.length = 0
  await merchant.put(charge())

  expect(await merchant.flush()).toBe(0)
  expect(receivedWebhooks()).toEqual([{ valid: false, status: 'succeeded' }])
})

test('an unreachable webhook URL does not affect payments', async () => {
  const merchant = await merchantWith({ webhook_url: 'http://127.0.0.1:1/' })

  expect((await merchant.put(charge())).status).toBe(200)
  expect(await merchant.flush()).toBe(1)
})

test('a dispute is sent with its whole state when it is opened, decided and escalated', async () => {
  const merchant = await merchantWith({ webhooks: 'on' })
  const payment = charge(goodCard)
  await merchant.put(payment)
  await merchant.flush()
  const { id } = await merchant.control('POST', 'disputes', { parent_reference: payment.reference })
  const first = { id, stage: 'chargeback', status: 'needs_response', amount: 1250, withdrawn: true }
  expect(receiver.webhooks.at(-1)).toMatchObject({ type: 'dispute.updated', valid: true, dispute: first })

  for (const [members, expected] of [
    [{ status: 'under_review' }, { status: 'under_review', withdrawn: true }],
    [{ status: 'won' }, { status: 'won', withdrawn: false }],
    [
      { stage: 'pre_arbitration', status: 'needs_response' },
      { stage: 'pre_arbitration', withdrawn: true },
    ],
    [{ status: 'lost' }, { stage: 'pre_arbitration', status: 'lost', withdrawn: true }],
  ]) {
    await merchant.control('PUT', 'disputes', { id, ...members })
    expect(receiver.webhooks.at(-1)).toMatchObject({ valid: true, dispute: { id, ...expected } })
  }
  const times = receiver.webhooks.flatMap(({ dispute }) => (dispute ? [dispute.updated_at] : []))
  expect(times).toEqual([...new Set(times)].toSorted())
  for (const [method, body] of [
    ['POST', { parent_reference: 'unknown' }],
    ['POST', { parent_reference: payment.reference, stage: 'appeal' }],
    ['PUT', { id: 'dp_unknown', status: 'won' }],
    ['PUT', { id, color: 'red' }],
  ] as const)
    await expect(merchant.control(method, 'disputes', body)).rejects.toThrow()
})

const disputesReceived = () => receiver.webhooks.flatMap(({ dispute }) => (dispute ? [dispute] : []))
/** The dispute is opened after the webhook of the charge was sent. */
const disputeReceived = () => vi.waitFor(() => expect(disputesReceived()).not.toEqual([]))

// biome-ignore format: a table.
test.each([
  ['7001', { stage: 'chargeback', reason: 'fraudulent',   withdrawn: true  }, 10],
  ['7002', { stage: 'inquiry',    reason: 'not_received', withdrawn: false }, 10],
  ['7003', { stage: 'chargeback', reason: 'not_received', withdrawn: true  }, 2],
] as const)('a charge of test card %s opens one dispute, even if it is repeated', async (scenario, expected, days) => {
  const merchant = await merchantWith()
  const payment = charge(cardNumberForScenario(scenario))
  await merchant.put(payment)
  await disputeReceived()
  await merchant.put(payment)
  await merchant.flush()

  const [dispute, ...others] = disputesReceived()
  expect(others).toEqual([])
  expect(dispute).toMatchObject({
    ...expected,
    parent_reference: payment.reference,
    status: 'needs_response',
    amount: 1250,
  })
  const left = Date.parse(dispute?.respond_by_at ?? '') - Date.parse(dispute?.opened_at ?? '')
  expect(Math.round(left / 86_400_000)).toBe(days)
})

test('a payment that is captured later is disputed when it is captured', async () => {
  const merchant = await merchantWith()
  const payment = charge(cardNumberForScenario('7001'), { capture: false })
  await merchant.put(payment)
  await merchant.flush()
  expect(disputesReceived()).toEqual([])
  await merchant.put(operationOn('capture', payment, { amount: 1000 }))
  await disputeReceived()

  expect(disputesReceived()).toMatchObject([{ parent_reference: payment.reference, amount: 1000 }])
})

// biome-ignore format: a table.
test.each([
  ['7001', 'winning_evidence', { stage: 'chargeback', status: 'won',            withdrawn: false }],
  ['7001', 'losing_evidence',  { stage: 'chargeback', status: 'lost',           withdrawn: true  }],
  ['7002', 'winning_evidence', { stage: 'inquiry',    status: 'closed',         withdrawn: false }],
  ['7002', 'losing_evidence',  { stage: 'chargeback', status: 'needs_response', withdrawn: true  }],
  ['7001', 'Delivered.',       { stage: 'chargeback', status: 'under_review',   withdrawn: true  }],
] as const)('the dispute of card %s is decided by the explanation %s', async (scenario, explanation, expected) => {
  const merchant = await merchantWith()
  await merchant.put(charge(cardNumberForScenario(scenario)))
  await disputeReceived()
  const id = disputesReceived()[0]?.id
  const response = { reference: `response-${id}`, evidence: { explanation }, files: [] }
  const { body } = await merchant.call('PUT', `disputes/${id}/response`, response)
  expect(body.status).toBe('under_review')

  await vi.waitFor(() => expect(disputesReceived().at(-1)).toMatchObject(expected))
  expect((await merchant.call('GET', `disputes/${id}`)).body).toMatchObject(expected)
})

test('a refund that was made at the provider is sent as refund.created', async () => {
  const merchant = await merchantWith({ webhooks: 'on' })
  const payment = charge(goodCard)
  await merchant.put(payment)
  await merchant.flush()

  await merchant.control('POST', 'refunds', { parent_reference: payment.reference, amount: 250 })

  expect(receiver.webhooks.at(-1)).toMatchObject({
    type: 'refund.created',
    valid: true,
    operation: { kind: 'refund', status: 'succeeded', amount: 250 },
  })
  expect(await merchant.sums(payment.payment_id)).toMatchObject([{ captured: 1250, refunded: 250 }])
})
