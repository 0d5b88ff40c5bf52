// The rules of PayPal's protocol: access tokens, strict requests, request ids, faults, webhooks and restarts.

import { randomUUID, verify } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { cardNumberForScenario } from '../../src/cards.ts'
import { signingKeys } from '../../src/dialects/paypal/webhooks.ts'
import { startSimulator } from '../../src/index.ts'
import { goodCard, type Members } from '../support/merchant.ts'
import {
  credentialsOf,
  newOrder,
  newPaypalMerchant,
  type PaypalResponse,
  paypalMerchantOf,
} from '../support/paypal.ts'

const simulator = await startSimulator()
const received: { readonly headers: { readonly [name: string]: string }; readonly body: string }[] = []
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  received.push({
    headers: request.headers as { [name: string]: string },
    body: Buffer.concat(chunks).toString(),
  })
  response.writeHead(200).end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
  return simulator.stop()
})
beforeEach(() => {
  received.length = 0
})

const hourMs = 3_600_000
const errorOf = ({ status, body }: PaypalResponse) => {
  const [detail] = (body.details ?? []) as { readonly issue: string; readonly field?: string }[]
  return [status, body.name, detail?.issue, detail?.field].filter((part) => part !== undefined).join(' ')
}
type Payments = {
  readonly captures?: { readonly id: string; readonly status: string; readonly amount: object }[]
}
const capturesOf = ({ body }: PaypalResponse) =>
  (body.purchase_units as { readonly payments?: Payments }[])[0]?.payments?.captures ?? []

test('an access token expires by the clock of the simulator, and wrong clients get none', async () => {
  const { requestToken, call, get, advance } = await newPaypalMerchant(simulator)
  const issued = await requestToken()
  expect(issued.body).toMatchObject({ token_type: 'Bearer', expires_in: 32_400 })
  expect(await requestToken('grant_type=password')).toMatchObject({
    status: 400,
    body: { error: 'unsupported_grant_type' },
  })
  expect(await requestToken(undefined, 'wrong')).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  })
  const read = (authorization: string) =>
    call('GET', 'v1/notifications/webhooks', undefined, { headers: { authorization } })
  const token = `Bearer ${issued.body.access_token}`

  expect((await get('v1/notifications/webhooks')).body).toEqual({ webhooks: [] })
  expect((await read(token)).status).toBe(200)
  expect(errorOf(await read(`${token}x`))).toBe('401 AUTHENTICATION_FAILURE')
  expect(errorOf(await read('Bearer other'))).toBe('401 AUTHENTICATION_FAILURE')
  await advance(9 * hourMs - 60_000)
  expect((await read(token)).status).toBe(200)
  await advance(60_000)
  expect(await read(token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

const amount = (value: unknown, currency = 'EUR') => ({ amount: { currency_code: currency, value } })
const merchantInitiated = { payment_initiator: 'MERCHANT', payment_type: 'UNSCHEDULED' }

// biome-ignore format: a table.
test.each<[string, Members, Members, Members, string]>([
  ['an unknown member',          { colour: 'red' }, {}, {},             '400 INVALID_REQUEST NOT_SUPPORTED /colour'],
  ['no intent',                  { intent: undefined }, {}, {},         '400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER /intent'],
  ['an unknown intent',          { intent: 'SALE' }, {}, {},            '400 INVALID_REQUEST INVALID_PARAMETER_VALUE /intent'],
  ['no payment source',          { payment_source: undefined }, {}, {}, '400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER /payment_source'],
  ['no unit',                    { purchase_units: [] }, {}, {},        '400 INVALID_REQUEST INVALID_ARRAY_MIN_ITEMS /purchase_units'],
  ['a long invoice id',          {}, { invoice_id: 'x'.repeat(128) }, {}, '400 INVALID_REQUEST INVALID_STRING_LENGTH /purchase_units/0/invoice_id'],
  ['an amount as a number',      {}, amount(12.5), {},                  '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX /purchase_units/0/amount/value'],
  ['an amount in words',         {}, amount('12,50'), {},               '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX /purchase_units/0/amount/value'],
  ['three decimals',             {}, amount('12.505'), {},              '422 UNPROCESSABLE_ENTITY DECIMAL_PRECISION /purchase_units/0/amount/value'],
  ['decimals of yen',            {}, amount('12.50', 'JPY'), {},        '422 UNPROCESSABLE_ENTITY DECIMALS_NOT_SUPPORTED /purchase_units/0/amount/value'],
  ['an unknown currency',        {}, amount('12.50', 'XYZ'), {},        '422 UNPROCESSABLE_ENTITY INVALID_CURRENCY_CODE /purchase_units/0/amount/value'],
  ['an amount of zero',          {}, amount('0.00'), {},                '422 UNPROCESSABLE_ENTITY CANNOT_BE_ZERO_OR_NEGATIVE /purchase_units/0/amount/value'],
  ['no expiry',                  {}, {}, { expiry: undefined },         '422 UNPROCESSABLE_ENTITY CARD_EXPIRY_REQUIRED /payment_source/card/expiry'],
  ['an invalid expiry',          {}, {}, { expiry: '12/35' },           '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX /payment_source/card/expiry'],
  ['an expired card',            {}, {}, { expiry: '2020-01' },         '422 UNPROCESSABLE_ENTITY CARD_EXPIRED /payment_source/card/expiry'],
  ['a long security code',       {}, {}, { security_code: '1234' },     '422 UNPROCESSABLE_ENTITY INVALID_SECURITY_CODE_LENGTH /payment_source/card/security_code'],
  ['a security code without the payer', {}, {}, { security_code: '123', stored_credential: merchantInitiated },
    '422 UNPROCESSABLE_ENTITY MERCHANT_INITIATED_WITH_SECURITY_CODE /payment_source/card/security_code'],
  ['a first use without the payer', {}, {}, { stored_credential: { ...merchantInitiated, usage: 'FIRST' } },
    '422 UNPROCESSABLE_ENTITY INCOMPATIBLE_PARAMETER_VALUE /payment_source/card/stored_credential'],
  ['a number and a saved card',  {}, {}, { vault_id: 'token-1' },       '422 UNPROCESSABLE_ENTITY INCOMPATIBLE_PARAMETER_VALUE /payment_source/card/number'],
  ['an address without country', {}, {}, { billing_address: {} },       '400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER /payment_source/card/billing_address/country_code'],
])('%s is refused', async (_, order, unit, card, error) => {
  const { order: create, facts } = await newPaypalMerchant(simulator)

  expect(errorOf(await create(newOrder(goodCard, order, unit, card)))).toBe(error)
  expect(await facts()).toEqual([])
})

test('wrong bodies, content types, methods, paths and missing request ids are refused', async () => {
  const { call, post, order } = await newPaypalMerchant(simulator)
  const path = 'v2/checkout/orders'
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }

  expect(errorOf(await post(path, newOrder(), randomUUID(), form))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
  expect(errorOf(await order([] as never))).toBe('400 INVALID_REQUEST MALFORMED_REQUEST_JSON')
  expect(errorOf(await call('POST', path, newOrder()))).toBe('400 INVALID_REQUEST PAYPAL_REQUEST_ID_REQUIRED')
  expect(errorOf(await order(newOrder(), 'x'.repeat(109)))).toContain('INVALID_STRING_LENGTH')
  expect(errorOf(await call('PUT', path, {}))).toBe('405 METHOD_NOT_SUPPORTED')
  expect(errorOf(await call('GET', 'v2/orders'))).toBe('404 RESOURCE_NOT_FOUND')
  const created = await order(newOrder())
  // PayPal requires the content type even without a body.
  expect(errorOf(await call('POST', `${path}/${created.body.id}/capture`))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
  const [capture] = capturesOf(created)
  const refund = await post(`v2/payments/captures/${capture?.id}/refund`, { colour: 'red' })
  expect(errorOf(refund)).toBe('400 INVALID_REQUEST NOT_SUPPORTED /colour')
})

test('the request id of an order is stored for 6 hours; then it creates another order', async () => {
  const merchant = await newPaypalMerchant(simulator)
  const [body, id] = [newOrder(), randomUUID()]
  const first = await merchant.order(body, id)

  expect(await merchant.order(body, id)).toMatchObject({ status: 200, body: first.body })
  const changed = await merchant.order(newOrder(goodCard, {}, amount('1.00')), id)
  expect(errorOf(changed)).toBe('422 UNPROCESSABLE_ENTITY PAYPAL_REQUEST_ID_PREVIOUSLY_USED')
  await merchant.advance(6 * hourMs - 1000)
  expect((await merchant.order(body, id)).body.id).toBe(first.body.id)
  await merchant.advance(1000)
  const second = await merchant.order(body, id)

  expect([second.status, second.body.id === first.body.id]).toEqual([201, false])
  expect((await merchant.facts()).length).toBe(2)
})

test('the request id of a refund is stored for 45 days, and returns the latest state of the refund', async () => {
  const { account, order, post, advance, facts } = await newPaypalMerchant(simulator)
  const [capture] = capturesOf(await order(newOrder(cardNumberForScenario('6005'))))
  const path = `v2/payments/captures/${capture?.id}/refund`
  const [body, id] = [{ ...amount('2.00') }, randomUUID()]

  expect(await post(path, body, id)).toMatchObject({ status: 201, body: { status: 'PENDING' } })
  await advance(5_000)
  expect(await post(path, body, id)).toMatchObject({ status: 201, body: { status: 'COMPLETED' } })
  await advance(44 * 24 * hourMs)
  const later = paypalMerchantOf(simulator.url, account)
  expect(await later.post(path, body, id)).toMatchObject({ status: 201 })
  expect((await facts()).length).toBe(2)
  await advance(24 * hourMs)
  expect(await paypalMerchantOf(simulator.url, account).post(path, body, id)).toMatchObject({ status: 201 })
  await advance(5_000)
  expect((await facts()).length).toBe(3)
})

test('a request that is repeated while the first one is processed gets 409; without idempotency both charge', async () => {
  const merchant = await newPaypalMerchant(simulator, { latency_ms: 50 })
  const [body, id] = [newOrder(), randomUUID()]
  await merchant.requestToken()

  const replies = await Promise.all([merchant.order(body, id), merchant.order(body, id)])
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
  await merchant.configure({ latency_ms: 0, replay: false })
  await merchant.order(body, id)
  expect((await merchant.facts()).length).toBe(2)
})

test.each(['5001', '5004', '5005', '5018'])(
  'an order without a response (%s) can be repeated',
  async (scenario) => {
    const merchant = await newPaypalMerchant(simulator)
    const [body, id] = [newOrder(cardNumberForScenario(scenario)), randomUUID()]
    await merchant.get('v1/notifications/webhooks')

    await merchant.orderWithoutResponse(body, id)
    const repeated = await merchant.order(body, id)

    expect(capturesOf(repeated)).toMatchObject([{ status: 'COMPLETED' }])
    expect((await merchant.facts()).length).toBe(1)
  },
)

// biome-ignore format: a table.
test.each([
  ['5002', '500 INTERNAL_SERVER_ERROR', 'COMPLETED'],  ['5003', '500 INTERNAL_SERVER_ERROR', 'COMPLETED'],
  ['5008', '503 SERVICE_UNAVAILABLE', null],           ['5009', '429 RATE_LIMIT_REACHED', null],
  ['5010', '401 AUTHENTICATION_FAILURE INVALID_ACCOUNT_STATUS', null],
  ['5021', '403 NOT_AUTHORIZED PERMISSION_DENIED', null],
])('the fault of %s is %s', async (scenario, error, repeated) => {
  const { order } = await newPaypalMerchant(simulator)
  const [body, id] = [newOrder(cardNumberForScenario(scenario)), randomUUID()]

  expect(errorOf(await order(body, id))).toBe(error)
  const again = await order(body, id)
  if (repeated === null) expect(again.status).toBeGreaterThan(400)
  else expect(capturesOf(again)).toMatchObject([{ status: repeated }])
})

test('a duplicate notice is a declined capture, although the payment was captured; a wrong amount is shown', async () => {
  const { order, facts } = await newPaypalMerchant(simulator)
  const [body, id] = [newOrder(cardNumberForScenario('5015')), randomUUID()]

  expect(capturesOf(await order(body, id))).toMatchObject([
    { status: 'DECLINED', processor_response: { response_code: '5200' } },
  ])
  expect(capturesOf(await order(body, id))).toMatchObject([{ status: 'COMPLETED' }])
  expect((await facts()).length).toBe(1)
  const less = capturesOf(await order(newOrder(cardNumberForScenario('5014'))))
  expect(less).toMatchObject([{ amount: { value: '12.49' } }])
})

test('during an outage every call gets 503, and a response can be cut', async () => {
  const { get, order, configure, control } = await newPaypalMerchant(simulator)
  await get('v1/notifications/webhooks')
  await configure({ outage: true })
  expect(errorOf(await order(newOrder()))).toBe('503 SERVICE_UNAVAILABLE')
  await configure({ outage: false })
  await control('POST', 'cut', { after_bytes: 40 })
  const [body, id] = [newOrder(), randomUUID()]
  expect(await order(body, id).catch(() => 'cut')).toBe('cut')
  expect(await order(body, id)).toMatchObject({ status: 200 })
})

test('a refund that was made at PayPal reduces what can be refunded', async () => {
  const { order, post, get, control } = await newPaypalMerchant(simulator)
  const [capture] = capturesOf(await order(newOrder(), 'request-1'))
  await control('POST', 'refunds', { parent_reference: 'request-1', amount: 1000 })

  const path = `v2/payments/captures/${capture?.id}`
  expect((await get(path)).body.status).toBe('PARTIALLY_REFUNDED')
  expect(errorOf(await post(`${path}/refund`, amount('2.51')))).toBe(
    '422 UNPROCESSABLE_ENTITY REFUND_AMOUNT_EXCEEDED',
  )
  expect((await post(`${path}/refund`, {})).body).toMatchObject(amount('2.50'))
  expect((await get(path)).body.status).toBe('REFUNDED')
})

test('recorded calls contain no card numbers and security codes', async () => {
  const { order, calls } = await newPaypalMerchant(simulator)
  await order(newOrder(goodCard, {}, {}, { security_code: '987' }), 'request-1')

  const recorded = (await calls()).at(-1)
  expect(recorded).toMatchObject({
    idempotency_key: 'request-1',
    path: '/v2/checkout/orders',
    signature: 'valid',
  })
  expect(JSON.stringify(recorded?.body)).not.toMatch(/4242424242424242|987/)
})

test('webhooks have the headers of PayPal and a signature with the key of the simulator', async () => {
  const { order, orderWithoutResponse, post, control } = await newPaypalMerchant(simulator, {
    webhook_url: webhookUrl,
  })
  /** Waits for the webhooks of a call, so that they arrive in order. */
  const flushed = async <T>(reply: Promise<T>) => {
    const result = await reply
    await control('POST', 'webhooks/flush')
    return result
  }
  const [capture] = capturesOf(await flushed(order(newOrder(goodCard, {}, { invoice_id: 'I1' }))))
  await flushed(post(`v2/payments/captures/${capture?.id}/refund`, {}))
  await flushed(order(newOrder(goodCard, { intent: 'AUTHORIZE' })))
  await flushed(order(newOrder(cardNumberForScenario('0051'))))
  await flushed(orderWithoutResponse(newOrder(cardNumberForScenario('5020')), 'forged'))
  await expect.poll(() => received.length).toBe(5)

  const events = received.map(({ body }) => JSON.parse(body))
  expect(events.map(({ event_type: type }) => type)).toEqual([
    'PAYMENT.CAPTURE.COMPLETED',
    'PAYMENT.CAPTURE.REFUNDED',
    'PAYMENT.AUTHORIZATION.CREATED',
    'PAYMENT.CAPTURE.DECLINED',
    'PAYMENT.CAPTURE.COMPLETED',
  ])
  expect(events[0]).toMatchObject({
    event_version: '1.0',
    resource_type: 'capture',
    resource: { id: capture?.id, status: 'COMPLETED', invoice_id: 'I1' },
  })
  const isSigned = received.map(({ headers, body }) => {
    const { 'paypal-transmission-id': id, 'paypal-transmission-time': time } = headers
    const message = Buffer.from(`${id}|${time}|WH-1|${crc32(body)}`)
    const signature = Buffer.from(headers['paypal-transmission-sig'] ?? '', 'base64')
    return verify('RSA-SHA256', message, signingKeys().publicKey, signature)
  })
  expect(isSigned).toEqual([true, true, true, true, false])
  expect(received[0]?.headers['paypal-auth-algo']).toBe('SHA256withRSA')
})

test('orders, request ids, saved cards and access tokens are kept across a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paypal-'))
  const ledgerFile = join(folder, 'ledger.jsonl')
  const accounts = [{ name: 'north', dialect: 'paypal' as const, credentials: credentialsOf('north') }]
  const first = await startSimulator({ ledgerFile, accounts })
  const before = paypalMerchantOf(first.url, 'north')
  const saving = newOrder(goodCard, {}, {}, { attributes: { vault: { store_in_vault: 'ON_SUCCESS' } } })
  const created = await before.order(saving, 'request-1')
  const token = (await before.requestToken()).body.access_token
  await first.stop()

  const second = await startSimulator({ ledgerFile, accounts })
  const after = paypalMerchantOf(second.url, 'north')
  const { id } = created.body
  const headers = { authorization: `Bearer ${token}` }
  const read = await after.call('GET', `v2/checkout/orders/${id}`, undefined, { headers })
  const source = created.body.payment_source as { card: { attributes: { vault: { id: string } } } }
  const vaulted = { card: { vault_id: source.card.attributes.vault.id } }
  const charged = await after.order(newOrder(goodCard, { payment_source: vaulted }))

  expect(read.body).toMatchObject({
    id,
    status: 'COMPLETED',
    purchase_units: created.body.purchase_units && [{}],
  })
  expect(await after.order(saving, 'request-1')).toMatchObject({ status: 200, body: { id } })
  expect(charged.body.status).toBe('COMPLETED')
  expect((await after.facts()).length).toBe(2)
  await second.stop()
  rmSync(folder, { recursive: true })
})
