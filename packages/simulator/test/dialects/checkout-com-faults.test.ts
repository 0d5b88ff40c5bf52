// Idempotency keys, faults and restarts in the wire format of Checkout.com.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../../src/cards.ts'
import { startSimulator } from '../../src/index.ts'
import {
  type CheckoutMerchant,
  checkoutMerchantOf,
  newCheckoutMerchant,
  payment,
  startWebhookReceiver,
} from './support/checkout-com-merchant.ts'

const simulator = await startSimulator()
const receiver = await startWebhookReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})

const visa = '4242424242424242'
const newMerchant = (config = {}) => newCheckoutMerchant(simulator, { webhook_url: receiver.url, ...config })
const keyOf = (key: string) => ({ 'cko-idempotency-key': key })

test('a repeated request returns the first response for 24 hours, even with other content', async () => {
  const merchant = await newMerchant()
  const [request, key] = [payment(visa), randomUUID()]
  const first = await merchant.call('POST', 'payments', request, keyOf(key))

  expect(first.status).toBe(201)
  expect(await merchant.call('POST', 'payments', { ...request, amount: 1 }, keyOf(key))).toEqual(first)
  expect(await merchant.facts()).toHaveLength(1)
  await merchant.advance(24 * 3_600_000)
  expect((await merchant.call('POST', 'payments', request, keyOf(key))).body.id).not.toBe(first.body.id)
  expect(await merchant.facts()).toHaveLength(2)
})

test('a refused request is not stored: the corrected request with the same key is processed', async () => {
  const merchant = await newMerchant()
  const [request, key] = [payment(visa), randomUUID()]

  expect((await merchant.call('POST', 'payments', { ...request, amount: -1 }, keyOf(key))).status).toBe(422)
  expect((await merchant.call('POST', 'payments', request, keyOf(key))).status).toBe(201)
})

test('captures, voids and refunds are idempotent too', async () => {
  const merchant = await newMerchant()
  const { id } = await merchant.pay(payment(visa, { capture: true }))
  const refund = () => merchant.sdk.payments.refund(id, { amount: 100 }, 'refund-key')

  expect(await refund()).toEqual(await refund())
  expect(await merchant.sums()).toMatchObject([{ refunded: 100 }])
})

test('a concurrent request with the same key gets 429, and is not processed', async () => {
  const merchant = await newMerchant({ latency_ms: 1_000 })
  const [request, key] = [payment(visa), randomUUID()]
  const first = merchant.call('POST', 'payments', request, keyOf(key))
  await callsReceived(merchant, 1)

  const second = await merchant.call('POST', 'payments', request, keyOf(key))
  expect(second).toMatchObject({ status: 429, body: { error_codes: ['duplicate_request'] } })
  await merchant.advance(1_000)
  expect((await first).status).toBe(201)
  expect(await merchant.facts()).toHaveLength(1)
})

test('without idempotency, a repeated request is charged again', async () => {
  const merchant = await newMerchant({ replay: false })
  const [request, key] = [payment(visa), randomUUID()]
  const [first, second] = [await merchant.pay(request, key), await merchant.pay(request, key)]

  expect(first.id).not.toBe(second.id)
  expect(await merchant.facts()).toHaveLength(2)
})

async function callsReceived(merchant: CheckoutMerchant, count: number, answer = /^/): Promise<void> {
  const matches = async () => (await merchant.calls()).filter((call) => answer.test(call.answer ?? '')).length
  while ((await matches()) < count) await new Promise(setImmediate)
}

test('5003: a response with status 500 is not stored, so a repeated request is charged again', async () => {
  const merchant = await newMerchant()
  const [request, key] = [payment(cardNumberForScenario('5003')), randomUUID()]

  expect((await merchant.call('POST', 'payments', request, keyOf(key))).status).toBe(500)
  expect((await merchant.call('POST', 'payments', request, keyOf(key))).status).toBe(500)
  expect(await merchant.facts()).toHaveLength(2)
})

test('5002: a request that was not processed can be repeated', async () => {
  const merchant = await newMerchant()
  const [request, key] = [payment(cardNumberForScenario('5002')), randomUUID()]

  expect((await merchant.call('POST', 'payments', request, keyOf(key))).status).toBe(500)
  const search = await merchant.sdk.payments.getPaymentList({ reference: request.reference })
  expect(search).toMatchObject({ total_count: 0 })
  expect((await merchant.call('POST', 'payments', request, keyOf(key))).status).toBe(201)
  expect(await merchant.facts()).toMatchObject([{ reference: request.reference }])
})

test.each(['5004', '5018'])(
  '%s: there is no response, and the payment is found by its reference',
  async (scenario) => {
    const merchant = await newMerchant()
    const [request, key] = [payment(cardNumberForScenario(scenario)), randomUUID()]
    const sent = merchant.call('POST', 'payments', request, keyOf(key)).catch(() => 'no response')
    await callsReceived(merchant, 1, /silence$/)
    await merchant.advance(120_000)

    expect(await sent).toBe('no response')
    expect(await merchant.sdk.payments.getPaymentList({ reference: request.reference })).toMatchObject({
      data: [{ status: 'Authorized' }],
    })
    expect((await merchant.call('POST', 'payments', request, keyOf(key))).status).toBe(201)
    expect(await merchant.facts()).toHaveLength(1)
  },
)

// biome-ignore format: a table.
test.each([
  ['5008', 503, undefined],
  ['5009', 429, ['too_many_requests']],
  ['5010', 401, undefined],
  ['5021', 403, undefined],
])('%s: the response is %i, and nothing is processed', async (scenario, status, codes) => {
  const merchant = await newMerchant()
  const request = payment(cardNumberForScenario(scenario))
  const response = await merchant.call('POST', 'payments', request)

  expect({ status: response.status, codes: response.body.error_codes }).toEqual({ status, codes })
  expect(await merchant.facts()).toEqual([])
})

test('5015: the response reports a duplicate, and the payment is approved', async () => {
  const merchant = await newMerchant()
  const reported = await merchant.pay(payment(cardNumberForScenario('5015')))

  expect(reported).toMatchObject({ approved: false, status: 'Declined', response_code: '20094' })
  expect(await merchant.details(reported.id)).toMatchObject({ approved: true, status: 'Authorized' })
})

test('5014: one minor unit less is charged', async () => {
  const merchant = await newMerchant()
  expect(await merchant.pay(payment(cardNumberForScenario('5014')))).toMatchObject({ amount: 1249 })
})

test.each([
  ['5016', 'Authorized', 'payment_approved'],
  ['5017', 'Declined', 'payment_declined'],
])('%s: the payment is pending for 5 seconds, and then %s', async (scenario, status, type) => {
  const merchant = await newMerchant()
  const pending = await merchant.pay(payment(cardNumberForScenario(scenario)))
  expect(pending).toMatchObject({ status: 'Pending', requiresRedirect: false })
  await merchant.advance(5_000)

  expect(await merchant.details(pending.id)).toMatchObject({ status })
  await merchant.flush()
  expect(receiver.about(pending.id).map((webhook) => webhook.type)).toContain(type)
})

test('5012, 5013 and 5020: webhooks arrive before the response, three times, or forged', async () => {
  const merchant = await newMerchant()
  const early = await merchant.pay(payment(cardNumberForScenario('5012')))
  expect(receiver.about(early.id)).toHaveLength(1)
  const triple = await merchant.pay(payment(cardNumberForScenario('5013')))
  await merchant.flush()
  expect(new Set(receiver.about(triple.id).map(({ id }) => id)).size).toBe(1)
  expect(receiver.about(triple.id)).toHaveLength(3)

  const forged = payment(cardNumberForScenario('5020'))
  void merchant.call('POST', 'payments', forged).catch(() => null)
  await callsReceived(merchant, 1, /silence$/)
  await merchant.flush()
  const { data } = (await merchant.sdk.payments.getPaymentList({ reference: forged.reference })) as {
    data: { id: string }[]
  }
  expect(data).toMatchObject([{ status: 'Declined' }])
  const received = receiver.about(data[0]?.id ?? '').map(({ type, isValid }) => [type, isValid])
  expect(received.sort()).toEqual([
    ['payment_approved', false],
    ['payment_declined', true],
  ])
  await merchant.advance(120_000)
})

test('a cut response is incomplete, and the payment exists', async () => {
  const merchant = await newMerchant()
  const request = payment(visa)
  await merchant.control('POST', 'cut', { after_bytes: 300 })

  await expect(merchant.call('POST', 'payments', request)).rejects.toThrow()
  expect(await merchant.sdk.payments.getPaymentList({ reference: request.reference })).toMatchObject({
    total_count: 1,
  })
})

test('payments, sessions, instruments, actions and idempotency keys survive a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-checkout-com-'))
  const ledgerFile = join(folder, 'ledger.jsonl')
  const [first, key] = [await startSimulator({ ledgerFile }), randomUUID()]
  const merchant = await newCheckoutMerchant(first)
  const request = payment(visa)
  const paid = await merchant.call('POST', 'payments', request, keyOf(key))
  const challenged = await merchant.pay(payment(cardNumberForScenario('3000')))
  await merchant.sdk.payments.capture(paid.body.id, {
    amount: 1000,
    capture_type: 'NonFinal',
    reference: 'part-1',
  })
  const before = {
    details: await merchant.details(paid.body.id),
    actions: await merchant.actions(paid.body.id),
  }
  await first.stop()

  const second = await startSimulator({ ledgerFile })
  const { account, secretKey } = merchant
  const credentials = { secret_key: secretKey, signature_key: 'whk-0123456789abcdef' }
  await second.control('PUT', `${account}/config`, { dialect: 'checkout_com', credentials })
  const again = checkoutMerchantOf(second, account, secretKey)

  expect({ details: await again.details(paid.body.id), actions: await again.actions(paid.body.id) }).toEqual({
    details: before.details,
    actions: before.actions,
  })
  expect(await again.call('POST', 'payments', request, keyOf(key))).toEqual(paid)
  const source = { type: 'id', id: paid.body.source.id }
  expect(await again.pay(payment('', { source }))).toMatchObject({ approved: true })
  const page = (challenged.redirectLink ?? '').replace(first.url, second.url)
  const response = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams({ result: 'approve' }),
    redirect: 'manual',
  })
  const session = new URL(response.headers.get('location') ?? '').searchParams.get('cko-session-id') ?? ''
  expect(await again.details(session)).toMatchObject({ id: challenged.id, status: 'Authorized' })
  await second.stop()
  expect(readFileSync(ledgerFile, 'utf8')).not.toMatch(/4242424242424242|"cvv"/)
  rmSync(folder, { recursive: true, force: true })
})

test('the SDK finds the account by its key on the port of the dialect', async () => {
  const own = await startSimulator({ dialectPorts: { checkout_com: 0 } })
  const merchant = await newCheckoutMerchant(own)
  const url = own.dialectUrls.checkout_com ?? ''
  const search = (key: string) =>
    fetch(`${url}/payments?reference=none`, { headers: { authorization: `Bearer ${key}` } }).then(
      ({ status }) => status,
    )

  expect(await search(merchant.secretKey)).toBe(200)
  expect(await search('sk_sbox_unknown')).toBe(401)
  await own.stop()
})
