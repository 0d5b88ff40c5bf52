// The rules of Mollie's protocol: strict requests, idempotency keys, faults, webhooks and restarts.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startSimulator } from '../../src/index.ts'
import {
  apiKeyOf,
  mollieMerchantOf,
  newMollieMerchant,
  newPayment,
  startFormReceiver,
} from '../support/mollie.ts'

const simulator = await startSimulator()
const receiver = await startFormReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})
beforeEach(() => {
  receiver.received.length = 0
})

const formOf = (path: string, id: unknown) => `${path} application/x-www-form-urlencoded id=${id}`

// biome-ignore format: a table.
test.each([
  ['an unknown member',             { colour: 'red' },                                    'colour'],
  ['the test mode of OAuth',        { testmode: true },                                   'testmode'],
  ['no amount',                     { amount: undefined },                                'amount'],
  ['an amount as a number',         { amount: { currency: 'EUR', value: 12.5 } },         'amount.value'],
  ['too few decimals',              { amount: { currency: 'EUR', value: '12.5' } },       'amount.value'],
  ['decimals of yen',               { amount: { currency: 'JPY', value: '12.50' } },      'amount.value'],
  ['a negative amount',             { amount: { currency: 'EUR', value: '-12.50' } },     'amount.value'],
  ['a lower-case currency',         { amount: { currency: 'eur', value: '12.50' } },      'amount.currency'],
  ['an unknown currency',           { amount: { currency: 'XYZ', value: '12.50' } },      'amount.currency'],
  ['an amount with more members',   { amount: { currency: 'EUR', value: '1.00', x: 1 } }, 'amount'],
  ['an amount of zero',             { amount: { currency: 'EUR', value: '0.00' } },       'amount'],
  ['no description',                { description: undefined },                           'description'],
  ['no redirect URL',               { redirectUrl: undefined },                           'redirectUrl'],
  ['an invalid redirect URL',       { redirectUrl: 'shop' },                              'redirectUrl'],
  ['an invalid webhook URL',        { webhookUrl: 'javascript:alert(1)' },                'webhookUrl'],
  ['an unknown card token',         { cardToken: 'tkn_other' },                           'cardToken'],
  ['an unknown scenario',           { cardToken: 'tkn_sim_9999' },                        'cardToken'],
  ['a card token without a method', { method: undefined },                                'method'],
  ['another method',                { method: 'ideal' },                                  'method'],
  ['an unknown capture mode',       { captureMode: 'later' },                             'captureMode'],
  ['a first payment, no customer',  { sequenceType: 'first' },                            'customerId'],
  ['an unknown customer',           { customerId: 'cst_unknown' },                        'customerId'],
  ['a card token and a mandate',    { customerId: 'cst_sim_1', mandateId: 'mdt_1' },      'cardToken'],
  ['an unknown mandate',            { customerId: 'cst_sim_1', mandateId: 'mdt_1', cardToken: undefined }, 'mandateId'],
  ['an incomplete address',         { billingAddress: { city: 'Wien' } },                 'billingAddress'],
  ['long metadata',                 { metadata: 'x'.repeat(1100) },                       'metadata'],
])('%s is refused', async (_, changes, field) => {
  const { post, facts } = await newMollieMerchant(simulator.url)

  const { status, headers, body } = await post('payments', newPayment('approve', changes))

  expect(headers.get('content-type')).toBe('application/hal+json')
  expect({ status, field: body.field, title: body.title }).toEqual({
    status: 422,
    field,
    title: 'Unprocessable Entity',
  })
  expect(await facts()).toEqual([])
})

test('wrong keys, bodies, content types, methods and paths are refused', async () => {
  const { call, post } = await newMollieMerchant(simulator.url)
  const wrongKey = await call('GET', 'payments', undefined, {
    headers: { authorization: 'Bearer test_wrong' },
  })
  const form = await call(
    'POST',
    'payments',
    {},
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  )
  const list = await call('POST', 'payments', [] as never)

  expect([wrongKey.status, wrongKey.body.title]).toEqual([401, 'Unauthorized Request'])
  expect([form.status, list.status]).toEqual([415, 400])
  expect((await call('PUT', 'payments')).status).toBe(405)
  expect((await call('GET', 'orders')).status).toBe(404)
  expect((await call('GET', 'payments?embed=refunds')).status).toBe(400)
  const { body } = await post('payments', newPayment('approve', { captureMode: 'manual' }))
  expect((await post(`payments/${body.id}/release-authorization`, { testmode: true })).status).toBe(422)
  expect((await call('DELETE', `payments/${body.id}`, { testmode: true })).status).toBe(422)
  expect((await call('GET', `customers/${body.id}`)).status).toBe(404)
  expect((await post(`payments/${body.id}/captures`, { colour: 'red' })).body.field).toBe('colour')
  expect((await post(`payments/${body.id}/refunds`, {})).body.field).toBe('amount')
})

test('a repeated key returns the first response for an hour; then it is a new request', async () => {
  const { post, get, facts, advance } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment(), randomUUID()]

  const first = await post('payments', request, key)
  const repeated = await post('payments', request, key)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(repeated.headers.get('idempotent-replayed')).toBe('true')
  expect(repeated).toMatchObject({ status: 201, body: first.body })
  await advance(59 * 60_000)
  expect((await post('payments', request, key)).body.id).toBe(first.body.id)
  await advance(60_000)

  const second = await post('payments', request, key)
  expect(second.body.id).not.toBe(first.body.id)
  expect((await facts()).map(({ payment_id }) => payment_id)).toEqual([
    request.metadata.switchyard_payment_id,
    request.metadata.switchyard_payment_id,
  ])
  expect((await get(`payments/${first.body.id}`)).body).toMatchObject({ status: 'paid' })
  expect((await get(`payments/${second.body.id}`)).body).toMatchObject({ status: 'paid' })
})

test('a key that was used for another request or another path is refused with 400', async () => {
  const { post, facts } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment('approve', { captureMode: 'manual' }), randomUUID()]
  const { body } = await post('payments', request, key)

  expect((await post('payments', { ...request, description: 'Order 8' }, key)).status).toBe(400)
  expect((await post(`payments/${body.id}/captures`, {}, key)).status).toBe(400)
  expect(await facts()).toHaveLength(1)
})

test('a key whose first request is still being processed is refused with 409', async () => {
  const { post, configure, facts } = await newMollieMerchant(simulator.url, { latency_ms: 200 })
  const [request, key] = [newPayment(), randomUUID()]

  const both = await Promise.all([post('payments', request, key), post('payments', request, key)])

  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  await configure({ latency_ms: 0 })
  expect((await post('payments', request, key)).status).toBe(201)
  expect(await facts()).toHaveLength(1)
})

test('without idempotency, or with a different key, a repeated request charges again', async () => {
  const { post, configure, facts } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment(), randomUUID()]
  await post('payments', request, key)
  await post('payments', request)
  expect(await facts()).toHaveLength(2)

  await configure({ replay: false })
  await post('payments', request, key)

  expect(await facts()).toHaveLength(3)
})

test('keys of captures, refunds and releases are replayed too', async () => {
  const { post, facts } = await newMollieMerchant(simulator.url)
  const hold = newPayment('approve', { captureMode: 'manual' })
  const [paid, held] = [await post('payments', hold), await post('payments', { ...hold, metadata: null })]
  const twice = async (path: string, body?: object) => {
    const key = randomUUID()
    const [first, second] = [await post(path, body as never, key), await post(path, body as never, key)]
    expect(second).toMatchObject({ status: first.status, body: first.body })
    return first.status
  }

  expect(await twice(`payments/${paid.body.id}/captures`, {})).toBe(201)
  const amount = { currency: 'EUR', value: '5.00' }
  expect(await twice(`payments/${paid.body.id}/refunds`, { amount })).toBe(201)
  expect(await twice(`payments/${held.body.id}/release-authorization`)).toBe(202)
  expect((await facts()).map(({ fact }) => fact)).toEqual(['charge', 'charge', 'capture', 'refund', 'void'])
})

// biome-ignore format: a table.
test.each([
  ['5001', 'paid',    1],
  ['5004', 'paid',    1],
  ['5005', 'paid',    1],
  ['5018', 'paid',    1],
  ['5019', 'pending', 0],
])('%s gets no response, and the repeated request returns a payment that is %s', async (scenario, status, charges) => {
  const { post, postWithoutResponse, facts } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment(scenario), randomUUID()]
  await postWithoutResponse('payments', request, key)

  expect((await post('payments', request, key)).body.status).toBe(status)
  expect(await facts()).toHaveLength(charges)
})

// biome-ignore format: a table.
test.each([
  ['5002', 500], ['5003', 500],
])('%s responds with %s once', async (scenario, status) => {
  const { post, facts } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment(scenario), randomUUID()]

  expect(await post('payments', request, key)).toMatchObject({ status, body: { status, title: expect.any(String) } })
  expect(await post('payments', request, key)).toMatchObject({ status: 201, body: { status: 'paid' } })
  expect(await facts()).toHaveLength(1)
})

// biome-ignore format: a table.
test.each([
  ['5008', 503], ['5009', 429], ['5010', 401], ['5021', 403],
])('%s is not processed, and gets %s each time', async (scenario, status) => {
  const { post, facts } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment(scenario), randomUUID()]

  for (const _ of [1, 2])
    expect(await post('payments', request, key)).toMatchObject({ status, body: { status, detail: expect.any(String) } })
  expect(await facts()).toEqual([])
})

test('5014 shows the amount that was charged, and 5015 reports a duplicate once', async () => {
  const { post, get } = await newMollieMerchant(simulator.url)
  const less = await post('payments', newPayment('5014'))
  expect(less.body.amount).toEqual({ value: '12.49', currency: 'EUR' })

  const [request, key] = [newPayment('5015'), randomUUID()]
  const { status, body } = await post('payments', request, key)
  expect(status).toBe(201)
  expect(body).toMatchObject({ status: 'failed', statusReason: { code: 'duplicate_transaction' } })
  expect((await post('payments', request, key)).body).toMatchObject({ id: body.id, status: 'paid' })
  expect((await get(`payments/${body.id}`)).body.status).toBe('paid')
})

test('an outage is reported as an error of Mollie', async () => {
  const { post, get } = await newMollieMerchant(simulator.url, { outage: true })

  expect(await post('payments', newPayment())).toMatchObject({
    status: 503,
    body: { title: 'Service Unavailable' },
  })
  expect((await get('payments')).status).toBe(503)
})

test('lists lag as configured, reads by id do not', async () => {
  const { post, get, advance, configure } = await newMollieMerchant(simulator.url, { lookup_lag_ms: 60_000 })
  const { body } = await post('payments', newPayment())

  expect((await get(`payments/${body.id}`)).status).toBe(200)
  expect((await get('payments')).body.count).toBe(0)
  await advance(60_000)
  expect((await get('payments')).body.count).toBe(1)
  await configure({ lookup: false })
  expect((await get('payments')).status).toBe(403)
})

test('webhooks contain the id of the payment, and go to the URL of the payment or else of the account', async () => {
  const { post, flush } = await newMollieMerchant(simulator.url, { webhook_url: `${receiver.url}/account` })
  const named = await post('payments', newPayment('approve', { webhookUrl: `${receiver.url}/payment?x=1` }))
  await flush()
  const other = await post('payments', newPayment())
  await flush()

  expect(receiver.received).toEqual([
    formOf('/payment?x=1', named.body.id),
    formOf('/account', other.body.id),
  ])
})

test('webhooks report final statuses, captures, releases and refunds, but nothing that is open', async () => {
  const { post, flush, advance } = await newMollieMerchant(simulator.url)
  const create = async (scenario: string, changes = {}) => {
    const webhookUrl = `${receiver.url}/${scenario}`
    return (await post('payments', newPayment(scenario, { webhookUrl, ...changes }))).body.id
  }
  const count = async () => {
    await flush()
    return receiver.received.splice(0).length
  }

  await create('3000')
  await create('0051')
  expect(await count()).toBe(0)
  const pending = await create('5017')
  await flush()
  await advance(5_000)
  expect(receiver.received.splice(0)).toEqual([formOf('/5017', pending)])
  const held = await create('approve', { captureMode: 'manual' })
  expect(await count()).toBe(1)
  await post(`payments/${held}/captures`, {})
  expect(await count()).toBe(1)
  await post(`payments/${held}/refunds`, { amount: { currency: 'EUR', value: '1.00' } })
  expect(await count()).toBe(1)
  const failing = await create('6001', { captureMode: 'manual' })
  expect(await count()).toBe(1)
  await post(`payments/${failing}/captures`, {})
  expect(await count()).toBe(0)
  await post(`payments/${failing}/release-authorization`, undefined)
  await flush()
  expect(receiver.received).toEqual([formOf('/6001', failing)])
})

test('the webhook of the 3-D Secure page is sent when the payer has answered', async () => {
  const { post, flush } = await newMollieMerchant(simulator.url, { webhook_url: receiver.url })
  const { body } = await post('payments', newPayment('3000'))
  const { checkout } = body._links as { checkout: { href: string } }

  await fetch(`${checkout.href}?auto`, { redirect: 'manual' })
  await flush()

  expect(receiver.received).toEqual([formOf('/', body.id)])
})

test('5012 sends the webhook before the response, 5013 three times, 5020 for a payment that does not exist', async () => {
  const { post, postWithoutResponse, get, flush } = await newMollieMerchant(simulator.url, {
    webhook_url: receiver.url,
  })
  const early = await post('payments', newPayment('5012'))
  expect(receiver.received.splice(0)).toEqual([formOf('/', early.body.id)])
  await post('payments', newPayment('5013'))
  await flush()
  expect(receiver.received.splice(0)).toHaveLength(3)

  const [request, key] = [newPayment('5020'), randomUUID()]
  await postWithoutResponse('payments', request, key)
  await flush()
  const [, id] = /id=(\w+)$/.exec(receiver.received[0] ?? '') ?? []
  expect((await get(`payments/${id}`)).status).toBe(404)
  expect((await post('payments', request, key)).body).toMatchObject({
    status: 422,
    extra: { failureReason: 'refused_by_issuer' },
  })
})

test('a response that was cut off is returned again to the repeated request', async () => {
  const { post, facts, control, get } = await newMollieMerchant(simulator.url)
  const [request, key] = [newPayment(), randomUUID()]
  await control('POST', 'cut', { after_bytes: 20 })
  await expect(post('payments', request, key)).rejects.toThrow()

  const { body } = await post('payments', request, key)

  expect((await get(`payments/${body.id}`)).body.status).toBe('paid')
  expect(await facts()).toHaveLength(1)
})

describe('after a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-simulator-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const config = { name: 'one', dialect: 'mollie', credentials: { api_key: apiKeyOf('one') } } as const

  async function startWith(ledgerFile: string) {
    const { url, stop } = await startSimulator({ ledgerFile, accounts: [config] })
    return { ...mollieMerchantOf(url, 'one'), stop }
  }

  test('payments, mandates and idempotency keys are the same', async () => {
    const file = join(folder, 'all.jsonl')
    const before = await startWith(file)
    const customerId = 'cst_sim_1'
    const [request, key] = [newPayment('approve', { sequenceType: 'first', customerId }), randomUUID()]
    const { body } = await before.post('payments', request, key)
    const held = await before.post('payments', newPayment('approve', { captureMode: 'manual' }))
    await before.stop()

    const { post, get, facts, stop } = await startWith(file)
    const { _links: _, ...members } = body
    expect((await post('payments', request, key)).body).toEqual(body)
    expect((await get(`payments/${body.id}`)).body).toMatchObject(members)
    expect((await get(`customers/${customerId}/mandates/${body.mandateId}`)).body.status).toBe('valid')
    const recurring = {
      amount: request.amount,
      description: 'Month 1',
      sequenceType: 'recurring',
      customerId,
    }
    expect((await post('payments', recurring)).body.status).toBe('paid')
    expect((await post(`payments/${held.body.id}/captures`, {})).status).toBe(201)
    expect((await facts()).map(({ fact }) => fact)).toEqual(['charge', 'charge', 'charge', 'capture'])
    await stop()
  })

  test('an operation whose response was not stored is not executed again', async () => {
    const file = join(folder, 'without-keys.jsonl')
    const before = await startWith(file)
    const [request, key] = [newPayment('approve', { captureMode: 'manual' }), randomUUID()]
    const { body } = await before.post('payments', request, key)
    const releaseKey = randomUUID()
    await before.post(`payments/${body.id}/release-authorization`, undefined, releaseKey)
    await before.stop()
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.filter((line) => !line.includes('"key":"idempotency/')).join('\n'))

    const { post, facts, stop } = await startWith(file)
    expect((await post('payments', request, key)).body.id).toBe(body.id)
    expect((await post(`payments/${body.id}/release-authorization`, undefined, releaseKey)).status).toBe(202)
    expect((await facts()).map(({ fact }) => fact)).toEqual(['charge', 'void'])
    await stop()
  })
})
