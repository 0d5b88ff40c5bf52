// What an account tells its merchant, and how often.

import { afterAll, beforeEach, expect, test } from 'vitest'
import { numberOfScenario } from '../src/cards.ts'
import { type Config, startSimulator } from '../src/index.ts'
import { charge, goodCard, newMerchant } from './support/merchant.ts'
import { startReceiver } from './support/receiver.ts'

const simulator = await startSimulator()
const receiver = await startReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})
beforeEach(() => {
  receiver.clear()
  receiver.answerWith(200)
})

/** What is asked of the simulator comes to rest by a flush: it waits for everything on its way. */
async function merchantWith(config: Partial<Config> = {}) {
  const merchant = await newMerchant(simulator.url, { webhook_url: receiver.url, ...config })
  receiver.secrets.splice(0, receiver.secrets.length, merchant.secret)
  const flush = async () => (await merchant.control('POST', 'webhooks/flush')).waiting
  return { ...merchant, flush }
}

const told = () => receiver.webhooks.map(({ valid, operation }) => ({ valid, status: operation.status }))

test('a result is told once, signed, with the record that a look finds', async () => {
  const merchant = await merchantWith()
  const { body } = await merchant.put(charge())

  expect(await merchant.flush()).toBe(0)

  expect(receiver.webhooks).toEqual([
    { id: expect.stringMatching(/^event_/), type: 'operation.updated', operation: body, valid: true },
  ])
})

test('both secrets sign during a change', async () => {
  const merchant = await merchantWith()
  await merchant.configure({ secrets: ['psec_new', merchant.secret] })
  await merchant.put(charge())
  await merchant.flush()

  expect(told()).toEqual([{ valid: true, status: 'succeeded' }])
})

test('nothing is told where webhooks are off, or of what was rejected', async () => {
  const off = await merchantWith({ webhooks: 'off' })
  await off.put(charge())
  await off.flush()
  const on = await merchantWith()
  await on.put(charge(undefined, { amount: -1 }))
  await on.flush()

  expect(told()).toEqual([])
})

test('twice is the same event twice', async () => {
  const merchant = await merchantWith({ webhooks: 'twice' })
  await merchant.put(charge())
  await merchant.flush()

  const [first, second] = receiver.webhooks
  expect(receiver.webhooks).toHaveLength(2)
  expect(second).toEqual(first)
})

test('reordered is the newest first', async () => {
  const merchant = await merchantWith({ webhooks: 'reordered' })
  const requests = [charge(), charge(), charge()]
  for (const request of requests) await merchant.put(request)
  expect(told()).toEqual([])

  await merchant.advance(1_000)

  const references = receiver.webhooks.map(({ operation }) => operation.reference)
  expect(references).toEqual(requests.map(({ reference }) => reference).reverse())
})

test('5012 tells before it answers', async () => {
  const merchant = await merchantWith()
  await merchant.put(charge(numberOfScenario('5012')))

  expect(told()).toEqual([{ valid: true, status: 'succeeded' }])
})

test('5013 tells one event three times', async () => {
  const merchant = await merchantWith()
  await merchant.put(charge(numberOfScenario('5013')))
  await merchant.flush()

  expect(receiver.webhooks).toHaveLength(3)
  expect(new Set(receiver.webhooks.map(({ id }) => id)).size).toBe(1)
})

test('5016 tells that it is pending, and later that it succeeded', async () => {
  const merchant = await merchantWith()
  await merchant.put(charge(numberOfScenario('5016')))
  await merchant.flush()
  await merchant.advance(5_000)

  expect(told().map(({ status }) => status)).toEqual(['pending', 'succeeded'])
})

test('5020 sends a forged success, and no word of the decline', async () => {
  const merchant = await merchantWith()
  const request = charge(numberOfScenario('5020'))
  await merchant.putInVain(request)
  await merchant.flush()

  expect(told()).toEqual([{ valid: false, status: 'succeeded' }])
  expect((await merchant.put(request)).body).toMatchObject({
    status: 'declined',
    decline: { code: 'do_not_honor' },
  })
})

test('what nobody stored is sent again: after 1, 5, 30 seconds and 5 minutes, and then no more', async () => {
  const merchant = await merchantWith()
  receiver.answerWith(500)
  await merchant.put(charge())
  await merchant.seen(1)
  while (receiver.webhooks.length < 1) await new Promise(setImmediate)

  const counts = []
  for (const seconds of [1, 5, 30, 300, 3_600]) {
    await merchant.advance(seconds * 1_000)
    counts.push(receiver.webhooks.length)
  }

  expect(counts).toEqual([2, 3, 4, 5, 5])
  expect(new Set(receiver.webhooks.map(({ id }) => id)).size).toBe(1)
})

test('a flush tries at once what waits for its next try', async () => {
  const merchant = await merchantWith()
  receiver.answerWith(500)
  await merchant.put(charge())
  expect(await merchant.flush()).toBe(1)
  receiver.answerWith(200)

  expect(await merchant.flush()).toBe(0)
})

test('401 says that it is not theirs, and ends it', async () => {
  const merchant = await merchantWith()
  receiver.secrets.length = 0
  await merchant.put(charge())

  expect(await merchant.flush()).toBe(0)
  expect(told()).toEqual([{ valid: false, status: 'succeeded' }])
})

test('nobody at the address does no harm', async () => {
  const merchant = await merchantWith({ webhook_url: 'http://127.0.0.1:1/' })

  expect((await merchant.put(charge())).status).toBe(200)
  expect(await merchant.flush()).toBe(1)
})

test('a refund that was made at the provider is told as such', async () => {
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
