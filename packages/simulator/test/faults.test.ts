// The faulty responses of the test cards, and what the ledger contains after them.

import { request as httpRequest } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../src/cards.ts'
import { startSimulator } from '../src/index.ts'
import { sign } from '../src/signature.ts'
import { charge, type Members, type Merchant, newMerchant } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())

type RawResponse = { readonly status?: number; readonly text?: string; readonly error?: string }

/** The raw response, or how the connection ended. */
function send(merchant: Merchant, request: Members): Promise<RawResponse> {
  const path = `/${merchant.account}/operations/${request.reference}`
  const body = JSON.stringify(request)
  const signature = sign(
    { role: 'request', method: 'PUT', path, body },
    [merchant.secret],
    Math.floor(Date.now() / 1000),
  )
  const headers = {
    'switchyard-protocol': '1',
    'switchyard-signature': signature,
    'idempotency-key': `${request.reference}`,
  }
  return new Promise((resolve) => {
    const sent = httpRequest(
      `${simulator.url}${path}`,
      { method: 'PUT', headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
      },
    )
    sent.on('error', (error: NodeJS.ErrnoException) => resolve({ error: error.code ?? error.message }))
    sent.end(body)
  })
}

// biome-ignore format: a table.
test.each([
  ['5002', { status: 500 },                                          0],
  ['5003', { status: 500 },                                          1],
  ['5005', { error: 'ECONNRESET' },                                  1],
  ['5006', { status: 200, text: expect.stringMatching(/^<!doctype/) }, 1],
  ['5008', { status: 503, text: '{"processed":false}' },             0],
  ['5009', { status: 429, text: '{"processed":false}' },             0],
  ['5010', { status: 401, text: expect.stringContaining('"status":"rejected"') }, 0],
  ['5021', { status: 403, text: expect.not.stringContaining('"reference"') }, 0],
  ['5015', { status: 200, text: expect.stringContaining('"network_code":"94"') }, 1],
] as const)('%s: the first response is %j, with %i charges', async (scenario, expected, charges) => {
  const merchant = await newMerchant(simulator.url)
  const request = charge(cardNumberForScenario(scenario))

  expect(await send(merchant, request)).toMatchObject(expected)
  expect(await merchant.facts()).toHaveLength(charges)
})

test('5007: the JSON is truncated, but the response looks complete otherwise', async () => {
  const merchant = await newMerchant(simulator.url)
  const { status, text = '' } = await send(merchant, charge(cardNumberForScenario('5007')))

  expect(status).toBe(200)
  expect(text).toMatch(/^\{"reference"/)
  expect(() => JSON.parse(text)).toThrow()
  expect(await merchant.facts()).toHaveLength(1)
})

test.each([
  ['5001', 0],
  ['5004', 1],
  ['5018', 1],
  ['5019', 0],
  ['5020', 0],
])('%s: there is no response until the connection is closed, with %i charges', async (scenario, charges) => {
  const merchant = await newMerchant(simulator.url)
  const sent = send(merchant, charge(cardNumberForScenario(scenario)))
  await merchant.waitForCalls(1, ({ answer }) => answer?.endsWith('silence') === true)

  expect(await merchant.facts()).toHaveLength(charges)
  await merchant.advance(120_000)
  expect(await sent).toEqual({ error: 'ECONNRESET' })
})

test('5008: a repeat is not processed either, and closing the operation succeeds', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge(cardNumberForScenario('5008'))
  await send(merchant, request)

  expect(await merchant.put(request)).toEqual({ status: 503, body: { processed: false } })
  expect(await merchant.lookUp(request.reference)).toMatchObject({ status: 404 })
  expect((await merchant.close(request.reference)).body.status).toBe('closed')
})

test('5014: response and ledger agree on the wrong amount', async () => {
  const merchant = await newMerchant(simulator.url)
  const { body } = await merchant.put(charge(cardNumberForScenario('5014')))

  expect(body).toMatchObject({ status: 'succeeded', amount: 1249 })
  expect(await merchant.facts()).toMatchObject([{ amount: 1249 }])
})

test('5018: a lookup finds nothing for 30 seconds, and then the charge', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge(cardNumberForScenario('5018'))
  await merchant.putWithoutResponse(request)

  expect((await merchant.lookUp(request.reference)).status).toBe(404)
  await merchant.advance(30_000)
  expect(await merchant.lookUp(request.reference)).toMatchObject({
    status: 200,
    body: { status: 'succeeded' },
  })
})

test('5019: it is pending for 3 minutes, and then charged', async () => {
  const merchant = await newMerchant(simulator.url)
  const request = charge(cardNumberForScenario('5019'))
  await merchant.putWithoutResponse(request)

  expect(await merchant.put(request)).toMatchObject({ status: 202, body: { status: 'pending' } })
  await merchant.advance(179_000)
  expect(await merchant.facts()).toEqual([])
  await merchant.advance(1_000)
  expect((await merchant.lookUp(request.reference)).body.status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

test('a fault occurs once per reference: the next payment with the card has it again', async () => {
  const merchant = await newMerchant(simulator.url)
  const card = cardNumberForScenario('5003')

  expect((await send(merchant, charge(card))).status).toBe(500)
  expect((await send(merchant, charge(card))).status).toBe(500)
  expect(await merchant.facts()).toHaveLength(2)
})

test('failover works: the first account rejects every attempt of a payment, the second approves', async () => {
  const [firstMerchant, secondMerchant] = [await newMerchant(simulator.url), await newMerchant(simulator.url)]
  const request = charge(cardNumberForScenario('5009'))
  const attempt = (number: number) => ({ ...request, reference: `${request.reference}-${number}` })

  expect((await firstMerchant.put(attempt(1))).status).toBe(429)
  expect((await firstMerchant.put(attempt(2))).status).toBe(429)
  expect((await secondMerchant.put(attempt(3))).body.status).toBe('succeeded')
})
