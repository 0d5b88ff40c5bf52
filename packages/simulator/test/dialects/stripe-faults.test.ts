// Idempotency, faults, delays and restarts of the Stripe dialect.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { startSimulator } from '../../src/index.ts'
import {
  authorization,
  errorOf,
  newStripeMerchant,
  payment,
  type StripeMerchant,
  signingSecret,
  startStripeReceiver,
  stripeMerchantOf,
} from '../support/stripe-merchant.ts'

const simulator = await startSimulator({ dialectPorts: { stripe: 0 } })
const receiver = await startStripeReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})

const dayMs = 24 * 3_600_000
/** The timeout of a call that gets no response. */
const timeout = 300

/** A payment that can be repeated with its idempotency key. */
function repeatable(
  { stripe }: StripeMerchant,
  scenario: string,
  changes: Partial<Stripe.PaymentIntentCreateParams> = {},
) {
  const params = payment({ payment_method: `pm_sim_${scenario}`, ...changes })
  const { switchyard_reference: reference } = params.metadata as Record<string, string>
  const idempotencyKey = reference as string
  const send = () => stripe.paymentIntents.create(params, { idempotencyKey, timeout })
  const search = async () => {
    const query = `metadata['switchyard_reference']:'${reference}'`
    return (await stripe.paymentIntents.search({ query })).data
  }
  return { params, idempotencyKey, send, search }
}

test('a repeated request returns the first response, and says so', async () => {
  const merchant = await newStripeMerchant(simulator)
  const { send } = repeatable(merchant, 'approve')
  const first = await send()
  const second = await send()

  expect(first.lastResponse.headers).not.toHaveProperty('idempotent-replayed')
  expect(second.lastResponse.headers).toHaveProperty('idempotent-replayed', 'true')
  expect(second).toEqual(first)
  expect(await merchant.facts()).toHaveLength(1)
})

test('a decline is repeated as well', async () => {
  const merchant = await newStripeMerchant(simulator)
  const { send } = repeatable(merchant, 'decline_51')
  const errors = [await errorOf(send()), await errorOf(send())]

  expect(errors.map(({ decline_code }) => decline_code)).toEqual(['insufficient_funds', 'insufficient_funds'])
  expect(errors[1]?.headers).toHaveProperty('idempotent-replayed', 'true')
  expect(errors[1]?.payment_intent?.id).toBe(errors[0]?.payment_intent?.id)
})

test('a key can only be used again with the same parameters and address', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const idempotencyKey = randomUUID()
  const params = payment()
  const { id } = await stripe.paymentIntents.create(params, { idempotencyKey })

  const changed = await errorOf(stripe.paymentIntents.create({ ...params, amount: 1 }, { idempotencyKey }))
  const elsewhere = await errorOf(stripe.refunds.create({ payment_intent: id }, { idempotencyKey }))
  expect(changed).toMatchObject({ rawType: 'idempotency_error', statusCode: 400 })
  expect(elsewhere).toMatchObject({ rawType: 'idempotency_error', statusCode: 400 })
  expect(await facts()).toHaveLength(1)
})

test('a key in use is a conflict', async () => {
  const merchant = await newStripeMerchant(simulator, { latency_ms: 100 })
  const { send } = repeatable(merchant, 'approve')
  const first = send()
  const second = await errorOf(send())

  expect(second).toMatchObject({ code: 'idempotency_key_in_use', statusCode: 409 })
  expect((await first).status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

test('after 24 hours a repeated request charges again', async () => {
  const merchant = await newStripeMerchant(simulator)
  const { send, search } = repeatable(merchant, 'approve')
  const first = await send()
  await merchant.advance(dayMs - 60_000)
  expect((await send()).id).toBe(first.id)
  await merchant.advance(60_000)

  expect((await send()).id).not.toBe(first.id)
  expect(await search()).toHaveLength(2)
  expect(await merchant.facts()).toHaveLength(2)
})

test('without idempotency every request charges', async () => {
  const merchant = await newStripeMerchant(simulator, { replay: false })
  const { send, search } = repeatable(merchant, '5004')
  await errorOf(send())
  const second = await send()

  expect(second.status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(2)
  expect(await search()).toHaveLength(2)
})

test('captures, refunds and cancellations are repeatable', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const [captured, cancelled] = [
    await stripe.paymentIntents.create(authorization()),
    await stripe.paymentIntents.create(authorization()),
  ]
  for (let count = 0; count < 2; count += 1) {
    const key = (name: string) => ({ idempotencyKey: `${captured.id}-${name}` })
    await stripe.paymentIntents.capture(captured.id, { amount_to_capture: 500 }, key('capture'))
    await stripe.refunds.create({ payment_intent: captured.id, amount: 100 }, key('refund'))
    await stripe.paymentIntents.cancel(cancelled.id, {}, key('cancel'))
  }

  const counts = Map.groupBy(await facts(), ({ fact }) => fact)
  expect(counts.get('capture')).toMatchObject([{ reference: `${captured.id}-capture`, amount: 500 }])
  expect(counts.get('refund')).toHaveLength(1)
  // One releases the rest of the captured authorization.
  expect(counts.get('void')?.map(({ amount }) => amount)).toEqual([599, 1099])
})

test('a server error is stored: only a search finds the payment', async () => {
  const merchant = await newStripeMerchant(simulator)
  const charged = repeatable(merchant, '5003')
  const dropped = repeatable(merchant, '5002')
  for (const { send } of [charged, charged, dropped, dropped]) {
    expect(await errorOf(send())).toMatchObject({ statusCode: 500, rawType: 'api_error' })
  }
  expect((await errorOf(charged.send())).headers).toHaveProperty('idempotent-replayed', 'true')

  expect(await charged.search()).toMatchObject([{ status: 'succeeded' }])
  expect(await dropped.search()).toEqual([])
  expect(await merchant.facts()).toHaveLength(1)
})

// biome-ignore format: a table.
test.each([
  ['5004', 'no response'], ['5006', 'HTML'], ['5007', 'truncated JSON'], ['5019', 'no response, pending'],
])('%s charges once: %s, and the repeated request gets the result', async (scenario) => {
  const merchant = await newStripeMerchant(simulator)
  const { send, search } = repeatable(merchant, scenario)
  await expect(send()).rejects.toThrow()
  const [found] = await search()
  const repeated = await send()
  await merchant.advance(180_000)

  expect(repeated.id).toBe(found?.id)
  expect(await merchant.stripe.paymentIntents.retrieve(repeated.id)).toMatchObject({ status: 'succeeded' })
  expect(await merchant.facts()).toHaveLength(1)
})

test('5005 resets the connection, and the SDK repeats the request', async () => {
  const merchant = await newStripeMerchant(simulator)
  const { lastResponse, status } = await repeatable(merchant, '5005').send()

  expect(status).toBe('succeeded')
  expect(lastResponse.headers).toHaveProperty('idempotent-replayed', 'true')
  expect(await merchant.facts()).toHaveLength(1)
})

test('a dropped request has no effect, and is executed when it is repeated', async () => {
  const merchant = await newStripeMerchant(simulator)
  const { send, search } = repeatable(merchant, '5001')
  await expect(send()).rejects.toThrow()
  expect(await search()).toEqual([])
  expect((await merchant.stripe.paymentIntents.list()).data).toEqual([])

  expect((await send()).status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

// biome-ignore format: a table.
test.each([
  ['5008', 503, 'api_error'], ['5009', 429, 'invalid_request_error'], ['5010', 401, 'invalid_request_error'], ['5021', 403, 'invalid_request_error'],
])('%s is refused with %i, and not stored', async (scenario, statusCode, rawType) => {
  const merchant = await newStripeMerchant(simulator)
  const { send, search } = repeatable(merchant, scenario)
  const errors = [await errorOf(send()), await errorOf(send())]

  for (const error of errors) {
    expect(error).toMatchObject({ statusCode, rawType })
    expect(error.headers).not.toHaveProperty('idempotent-replayed')
  }
  expect(await search()).toEqual([])
  expect(await merchant.facts()).toEqual([])
})

test('5014 charges less than requested', async () => {
  const merchant = await newStripeMerchant(simulator)

  expect(await repeatable(merchant, '5014').send()).toMatchObject({ amount: 1099, amount_received: 1098 })
})

test('5015 is declined as a duplicate, although it was charged', async () => {
  const merchant = await newStripeMerchant(simulator)
  const error = await errorOf(repeatable(merchant, '5015').send())

  expect(error).toMatchObject({ decline_code: 'duplicate_transaction', statusCode: 402 })
  expect(error.payment_intent).toMatchObject({ status: 'requires_payment_method' })
  const id = error.payment_intent?.id ?? ''
  expect(await merchant.stripe.paymentIntents.retrieve(id)).toMatchObject({ status: 'succeeded' })
})

// biome-ignore format: a table.
test.each([
  ['6001', 'capture'], ['6003', 'cancel'],
] as const)('%s refuses to %s, and stays authorized', async (scenario, verb) => {
  const { stripe } = await newStripeMerchant(simulator)
  const { id } = await stripe.paymentIntents.create(authorization({ payment_method: `pm_sim_${scenario}` }))
  const error = await errorOf(stripe.paymentIntents[verb](id))

  expect(error).toMatchObject({ statusCode: 402, decline_code: 'transaction_not_allowed' })
  expect(error.payment_intent).toMatchObject({ status: 'requires_capture', amount_capturable: 1099 })
})

test('pending captures and cancellations are decided later', async () => {
  const { stripe, advance, sums } = await newStripeMerchant(simulator)
  const start = async (scenario: string) => {
    const params = authorization({ payment_method: `pm_sim_${scenario}` })
    return { params, id: (await stripe.paymentIntents.create(params)).id }
  }
  const [captured, refused, cancelled] = [await start('6007'), await start('6008'), await start('6009')]
  const capture = { amount_to_capture: 1000, metadata: { capture: '1' } }
  expect((await stripe.paymentIntents.capture(captured.id, capture)).status).toBe('processing')
  await stripe.paymentIntents.capture(refused.id, capture)
  expect((await stripe.paymentIntents.cancel(cancelled.id)).status).toBe('processing')
  await advance(5_000)

  const read = (id: string) => stripe.paymentIntents.retrieve(id)
  expect(await read(captured.id)).toMatchObject({
    status: 'succeeded',
    amount_received: 1000,
    metadata: { capture: '1' },
  })
  expect(
    await sums((captured.params.metadata as Record<string, string>).switchyard_payment_id as string),
  ).toMatchObject([{ captured: 1000, voided: 99 }])
  expect(await read(refused.id)).toMatchObject({ status: 'requires_capture', amount_capturable: 1099 })
  expect((await read(refused.id)).metadata).not.toHaveProperty('capture')
  expect(await read(cancelled.id)).toMatchObject({ status: 'canceled' })
})

test('the search lags behind, reads and lists do not', async () => {
  const merchant = await newStripeMerchant(simulator, { lookup_lag_ms: 60_000 })
  const { send, search } = repeatable(merchant, 'approve')
  const { id } = await send()
  expect(await search()).toEqual([])
  expect((await merchant.stripe.paymentIntents.list()).data).toMatchObject([{ id }])
  expect(await merchant.stripe.paymentIntents.retrieve(id)).toMatchObject({ id })
  await merchant.advance(60_000)
  expect(await search()).toMatchObject([{ id }])

  await merchant.configure({ lookup: false })
  expect(await errorOf(search())).toMatchObject({ statusCode: 400 })
})

test('5018 is not found by a search for 30 seconds', async () => {
  const merchant = await newStripeMerchant(simulator)
  const { send, search } = repeatable(merchant, '5018')
  await expect(send()).rejects.toThrow()
  expect(await search()).toEqual([])
  await merchant.advance(30_000)

  expect(await search()).toMatchObject([{ status: 'succeeded' }])
})

test('during an outage every call fails', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator, { outage: true })

  expect(await errorOf(stripe.paymentIntents.create(payment()))).toMatchObject({ statusCode: 503 })
  expect(await errorOf(stripe.paymentIntents.list())).toMatchObject({ statusCode: 503 })
  expect(await facts()).toEqual([])
})

test('5020 sends a forged event, whose signature is wrong', async () => {
  receiver.events.length = 0
  const merchant = await newStripeMerchant(simulator, { webhook_url: receiver.url })
  const { send } = repeatable(merchant, '5020')
  await expect(send()).rejects.toThrow()
  await merchant.flush()

  expect(receiver.events).toMatchObject([
    {
      isValid: false,
      type: 'payment_intent.succeeded',
      data: { object: { status: 'succeeded', amount_received: 1099 } },
    },
  ])
  expect(await errorOf(send())).toMatchObject({ decline_code: 'do_not_honor' })
})

test('5013 sends the same event three times', async () => {
  receiver.events.length = 0
  const merchant = await newStripeMerchant(simulator, { webhook_url: receiver.url })
  await repeatable(merchant, '5013').send()
  await merchant.flush()

  expect(receiver.events).toHaveLength(3)
  expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(1)
})

test('everything survives a restart, even one before the response was stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-simulator-'))
  const ledgerFile = join(folder, 'ledger.jsonl')
  const credentials = { secret_key: 'sk_test_restart', signing_secret: signingSecret }
  const start = () =>
    startSimulator({
      ledgerFile,
      dialectPorts: { stripe: 0 },
      accounts: [{ name: 'one', dialect: 'stripe', credentials }],
    })
  const first = await start()
  const before = stripeMerchantOf(first, 'one', 'sk_test_restart')
  const customer = (await before.stripe.customers.create({ email: 'ada@example.com' })).id
  const saving = { customer, setup_future_usage: 'off_session' } as const
  const saved = await before.stripe.paymentIntents.create(payment(saving))
  const params = payment({ payment_method: 'pm_card_visa' })
  const idempotencyKey = randomUUID()
  const paid = await before.stripe.paymentIntents.create(params, { idempotencyKey })
  const authorized = await before.stripe.paymentIntents.create(authorization())
  const cancelled = await before.stripe.paymentIntents.create(authorization())
  const changes = (stripe: Stripe) => [
    () => stripe.refunds.create({ payment_intent: paid.id }, { idempotencyKey: `${idempotencyKey}-refund` }),
    () => stripe.paymentIntents.capture(authorized.id, {}, { idempotencyKey: `${idempotencyKey}-capture` }),
    () => stripe.paymentIntents.cancel(cancelled.id, {}, { idempotencyKey: `${idempotencyKey}-cancel` }),
  ]
  for (const change of changes(before.stripe)) await change()
  await first.stop()
  // Removes the stored responses, as if the process had crashed before it stored them. Only the operations
  // remain.
  const lines = readFileSync(ledgerFile, 'utf8').split('\n')
  writeFileSync(
    ledgerFile,
    lines.filter((line) => !line.includes(`idempotency/${idempotencyKey}`)).join('\n'),
  )

  const second = await start()
  const { stripe, facts } = stripeMerchantOf(second, 'one', 'sk_test_restart')
  expect((await stripe.paymentIntents.create(params, { idempotencyKey })).id).toBe(paid.id)
  expect(await stripe.paymentIntents.retrieve(saved.id)).toMatchObject({ status: 'succeeded', customer })
  const statuses = []
  for (const change of changes(stripe)) statuses.push((await change()).status)
  expect(statuses).toEqual(['succeeded', 'succeeded', 'canceled'])
  expect((await stripe.refunds.list({ payment_intent: paid.id })).data).toMatchObject([{ amount: 1099 }])
  const method = saved.payment_method as string
  const later = await stripe.paymentIntents.create(
    payment({ customer, payment_method: method, off_session: true }),
  )
  expect(later.status).toBe('succeeded')
  expect((await facts()).map(({ fact }) => fact)).toEqual([
    'charge',
    'charge',
    'charge',
    'charge',
    'refund',
    'capture',
    'void',
    'charge',
  ])
  await second.stop()
  rmSync(folder, { recursive: true })
})
