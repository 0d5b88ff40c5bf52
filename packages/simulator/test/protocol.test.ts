// The rules of the custom protocol, from the side of a merchant.

import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../src/cards.ts'
import { startSimulator } from '../src/index.ts'
import { charge, newMerchant, newReference, verification } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())

test('an authorization is charged once, and a repeat returns the same record', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()

  const first = await merchant.put(request)
  const second = await merchant.put(request)

  expect(first).toMatchObject({
    status: 200,
    body: {
      reference: request.reference,
      kind: 'authorize',
      status: 'succeeded',
      amount: 1250,
      currency: 'eur',
    },
  })
  expect(first.body.provider_reference).toMatch(/^sim_/)
  expect(first.body.network_transaction_id).toMatch(/^\d{15}$/)
  expect(second).toEqual(first)
  expect(await merchant.lookUp(request.reference)).toEqual(first)
  expect(await merchant.facts()).toMatchObject([
    {
      fact: 'charge',
      reference: request.reference,
      payment_id: request.payment_id,
      amount: 1250,
      capture: true,
    },
  ])
})

test('fifty concurrent requests with one reference result in one charge', async () => {
  const merchant = await newMerchant(simulator.url, { latency_ms: 60_000 })
  const request = charge()

  const sent = Array.from({ length: 50 }, () => merchant.put(request))
  await merchant.waitForCalls(50)
  await merchant.advance(60_000)
  const responses = await Promise.all(sent)

  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status, body }) => status === 202 && body.status === 'pending')).toHaveLength(49)
  expect(await merchant.facts()).toHaveLength(1)
})

test('without idempotency every repeat charges again, and the ledger has each charge', async () => {
  const merchant = await newMerchant(simulator.url, { replay: false })
  const request = charge()

  const first = await merchant.put(request)
  const second = await merchant.put(request)

  expect(second.body.provider_reference).not.toBe(first.body.provider_reference)
  expect(await merchant.sums(request.payment_id)).toMatchObject([{ approvals: 2, captured: 2500 }])
})

test('without idempotency a repeat of a pending operation charges again as well', async () => {
  const merchant = await newMerchant(simulator.url, { replay: false })
  const request = charge(cardNumberForScenario('5016'))
  await merchant.put(request)
  await merchant.put(request)

  await merchant.advance(5_000)

  expect(await merchant.sums(request.payment_id)).toMatchObject([{ approvals: 2 }])
})

test('a reused reference with a different body is rejected, and the response is not proof that nothing happened', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()
  await merchant.put(request)

  const response = await merchant.put({ ...request, amount: 1251 })

  expect(response).toMatchObject({ status: 409, body: { error: { code: 'reference_reused' } } })
  expect(response.body.status).toBeUndefined()
  expect(await merchant.facts()).toHaveLength(1)
})

test('an operation that was never sent is not found', async () => {
  const merchant = await newMerchant(simulator.url)
  expect(await merchant.lookUp(newReference())).toMatchObject({ status: 404 })
})

test('an operation that was closed before it arrived is never executed', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()

  const closed = await merchant.close(request.reference)

  expect(closed).toMatchObject({
    status: 200,
    body: { reference: request.reference, status: 'closed', kind: null },
  })
  expect(await merchant.put(request)).toMatchObject({
    status: 409,
    body: { status: 'closed', error: { code: 'operation_closed' } },
  })
  expect(await merchant.close(request.reference)).toEqual(closed)
  expect(await merchant.lookUp(request.reference)).toEqual(closed)
  expect(await merchant.facts()).toEqual([])
})

test('a closed operation is not executed, even without idempotency', async () => {
  const merchant = await newMerchant(simulator.url, { replay: false })
  const request = charge()
  await merchant.close(request.reference)

  expect((await merchant.put(request)).status).toBe(409)
  expect(await merchant.facts()).toEqual([])
})

test('closing cancels all pending charges of a reference, even without idempotency', async () => {
  const merchant = await newMerchant(simulator.url, { replay: false })
  const request = charge(cardNumberForScenario('5016'))
  await merchant.put(request)
  await merchant.put(request)
  await merchant.close(request.reference)

  await merchant.advance(5_000)

  expect(await merchant.facts()).toEqual([])
})

test('closing a completed operation returns its record', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()
  const completed = await merchant.put(request)

  expect(await merchant.close(request.reference)).toEqual(completed)
})

test('closing a pending operation cancels it', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge(cardNumberForScenario('5016'))
  expect(await merchant.put(request)).toMatchObject({ status: 202, body: { status: 'pending' } })

  expect((await merchant.close(request.reference)).body.status).toBe('closed')
  await merchant.advance(60_000)

  expect((await merchant.lookUp(request.reference)).body).toMatchObject({ status: 'closed', amount: 1250 })
  expect(await merchant.facts()).toEqual([])
})

test('closing an operation in progress stops it', async () => {
  const merchant = await newMerchant(simulator.url, { latency_ms: 60_000 })
  const request = charge()
  const sent = merchant.put(request)
  await merchant.waitForCalls(1)
  await merchant.configure({ latency_ms: 0 })
  await merchant.close(request.reference)

  await merchant.advance(60_000)

  expect(await sent).toMatchObject({ status: 409, body: { error: { code: 'operation_closed' } } })
  expect(await merchant.facts()).toEqual([])
})

test('a verification moves no money and returns a token that can be charged later', async () => {
  const merchant = await newMerchant(simulator.url)
  const verified = await merchant.put(verification())
  const { token } = verified.body

  const paid = await merchant.put(charge('', { instrument: { type: 'token', token }, initiator: 'merchant' }))

  expect(token).toMatch(/^tok_/)
  expect(paid.body).toMatchObject({ status: 'succeeded', amount: 1250 })
  expect(paid.body.token).toBeUndefined()
  expect(await merchant.facts()).toMatchObject([{ fact: 'verification', amount: 0 }, { fact: 'charge' }])
})

test('a charge that saves the card returns a token', async () => {
  const merchant = await newMerchant(simulator.url)
  const { body } = await merchant.put(charge(undefined, { stored_credential: { use: 'first' } }))
  expect(body.token).toMatch(/^tok_/)
})

test('a deleted token cannot be charged, and deleting it again succeeds', async () => {
  const merchant = await newMerchant(simulator.url)
  const { token } = (await merchant.put(verification())).body

  expect((await merchant.call('DELETE', `tokens/${token}`)).status).toBe(204)
  expect((await merchant.call('DELETE', `tokens/${token}`)).status).toBe(204)

  expect(await merchant.put(charge('', { instrument: { type: 'token', token } }))).toMatchObject({
    status: 422,
    body: { status: 'rejected', error: { code: 'stored_credential_invalid' } },
  })
})

test('the token of one account is unknown at another', async () => {
  const [firstMerchant, secondMerchant] = [await newMerchant(simulator.url), await newMerchant(simulator.url)]
  const { token } = (await firstMerchant.put(verification())).body

  expect((await secondMerchant.put(charge('', { instrument: { type: 'token', token } }))).status).toBe(422)
})

test('a bad signature is rejected on every call', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()
  const wrongSecret = { secret: 'psec_of_somebody_else' }

  const response = await merchant.put(request, wrongSecret)

  // The reference is not in the ledger, so this is proof that nothing happened.
  expect(response).toMatchObject({
    status: 401,
    body: { status: 'rejected', error: { code: 'provider_credentials_invalid' } },
  })
  for (const [method, path] of [
    ['GET', 'manifest'],
    ['GET', 'health'],
    ['GET', `operations/${request.reference}`],
    ['POST', `operations/${request.reference}/close`],
    ['POST', `operations/${request.reference}/complete`],
    ['DELETE', 'tokens/tok_1'],
  ] as const) {
    expect((await merchant.call(method, path, undefined, wrongSecret)).status).toBe(401)
  }
  expect(await merchant.lookUp(request.reference)).toMatchObject({ status: 404 })
})

test('the response to a repeat with a bad signature is not proof that nothing happened', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()
  await merchant.put(request)

  const response = await merchant.put(request, { secret: 'psec_of_somebody_else' })

  expect(response.status).toBe(401)
  expect(response.body.status).toBeUndefined()
})

test('an account that does not exist has no secrets, so every request is rejected', async () => {
  const response = await fetch(`${simulator.url}/nobody/health`)
  expect(response.status).toBe(401)
})

test('during a rotation both secrets are valid', async () => {
  const merchant = await newMerchant(simulator.url)
  await merchant.configure({ secrets: ['psec_new', merchant.secret] })

  expect((await merchant.put(charge())).status).toBe(200)
  expect((await merchant.put(charge(), { secret: 'psec_new' })).status).toBe(200)
})

test('a call with another protocol version, or with an idempotency key that is not its reference, is rejected', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()

  const version = await merchant.put(request, { headers: { 'switchyard-protocol': '2' } })
  const key = await merchant.put(request, { headers: { 'idempotency-key': 'another' } })

  expect(version).toMatchObject({ status: 400, body: { error: { code: 'protocol_not_supported' } } })
  expect(key).toMatchObject({ status: 400, body: { status: 'rejected' } })
  expect(await merchant.facts()).toEqual([])
})

test.each([
  ['kind', 'gift'],
  ['mode', 'live'],
  ['amount', 12.5],
  ['amount', 0],
  ['amount', '1250'],
  ['amount', -1],
  ['currency', 'EUR'],
  ['payment_id', ''],
  ['instrument', null],
  ['instrument', { type: 'iou' }],
  ['capture', 'yes'],
  ['metadata', { simulate: 'decline:51 x2, aprove' }],
  ['metadata', { simulate: 'decline:00' }],
])('an authorization with %s %j is rejected', async (name, value) => {
  const merchant = await newMerchant(simulator.url)

  const response = await merchant.put(charge(undefined, { [name]: value }))

  expect(response.body).toMatchObject({ status: 'rejected', error: { code: 'provider_request_invalid' } })
  expect(response.status).toBeGreaterThanOrEqual(400)
  expect(response.status).toBeLessThan(500)
  expect(await merchant.facts()).toEqual([])
})

test('the reference in the body must equal the reference in the URL', async () => {
  const merchant = await newMerchant(simulator.url)
  const [reference, body] = [newReference(), charge()]

  const response = await merchant.call('PUT', `operations/${reference}`, body, {
    headers: { 'idempotency-key': reference },
  })

  expect(response).toMatchObject({ status: 400, body: { status: 'rejected' } })
})

test('the manifest reflects the configuration of the account, and the health check succeeds', async () => {
  const merchant = await newMerchant(simulator.url)
  await merchant.configure({ lookup: false })

  expect((await merchant.call('GET', 'manifest')).body).toMatchObject({
    protocol: 1,
    capabilities: { manual_capture: true, three_d_secure: true },
    timeout_ms: 60_000,
    features: { lookup: false, close: true, complete: true, tokens: true },
  })
  expect(await merchant.call('GET', 'health')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('an unknown path returns 404', async () => {
  const merchant = await newMerchant(simulator.url)
  expect((await merchant.call('GET', 'unknown')).status).toBe(404)
  expect((await merchant.call('PATCH', 'operations/1')).status).toBe(404)
  expect((await merchant.call('POST', 'operations/1/close/2')).status).toBe(404)
})

test('a repeated request must be identical: a different order of members is rejected', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge()
  await merchant.put(request)

  const reordered = Object.fromEntries(Object.entries(request).reverse())

  expect((await merchant.put(reordered)).status).toBe(409)
})
