// Captures, voids and refunds of an authorization, which never exceed its amount.

import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../src/cards.ts'
import { startSimulator } from '../src/index.ts'
import { charge, newAuthorization, newMerchant, operationOn } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())

test('an authorization is captured in parts, the rest is voided, and captures are refunded', async () => {
  const merchant = await newMerchant(simulator.url)
  const authorization = newAuthorization()
  const approved = await merchant.put(authorization)
  const capture = operationOn('capture', authorization, { amount: 400 })

  expect(Date.parse(approved.body.capture_before_at ?? '')).toBeGreaterThan(Date.now())
  expect((await merchant.put(capture)).body).toMatchObject({
    kind: 'capture',
    status: 'succeeded',
    amount: 400,
  })
  await merchant.put(operationOn('capture', authorization, { amount: 350 }))
  await merchant.put(operationOn('void', authorization, { amount: 500 }))
  await merchant.put(operationOn('refund', authorization, { amount: 100 }))
  await merchant.put(operationOn('refund', capture, { amount: 50 }))

  expect(await merchant.sums(authorization.payment_id)).toEqual([
    {
      payment_id: authorization.payment_id,
      currency: 'eur',
      approvals: 1,
      authorized: 1250,
      captured: 750,
      voided: 500,
      refunded: 150,
      reversed: 0,
    },
  ])
})

test.each([
  ['capture', { amount: 1251 }, 'amount_not_supported'],
  ['capture', { currency: 'usd' }, 'currency_not_supported'],
  ['capture', { parent_reference: 'never-sent' }, 'provider_request_invalid'],
  ['refund', { amount: 1 }, 'provider_request_invalid'],
] as const)(
  'a %s of an uncaptured authorization with %j is rejected and moves nothing',
  async (kind, changes, code) => {
    const merchant = await newMerchant(simulator.url)
    const authorization = newAuthorization()
    await merchant.put(authorization)

    const response = await merchant.put(operationOn(kind, authorization, changes))

    expect(response).toMatchObject({ status: 422, body: { status: 'rejected', error: { code } } })
    expect(await merchant.facts()).toHaveLength(1)
  },
)

test('operations that name each other as parents are rejected', async () => {
  const merchant = await newMerchant(simulator.url)
  const [first, second] = [newAuthorization(), newAuthorization()]
  const cyclic = [
    operationOn('capture', second, { reference: first.reference }),
    operationOn('refund', first, { reference: second.reference }),
  ]

  for (const request of cyclic) expect((await merchant.put(request)).body.status).toBe('rejected')
})

test('a captured amount cannot be voided, and a voided amount cannot be captured', async () => {
  const merchant = await newMerchant(simulator.url)
  const [captured, released] = [charge(), newAuthorization()]
  await merchant.put(captured)
  await merchant.put(released)
  await merchant.put(operationOn('void', released))

  expect((await merchant.put(operationOn('void', captured))).body.status).toBe('rejected')
  expect((await merchant.put(operationOn('capture', released))).body.status).toBe('rejected')
})

test('of two pending refunds that together exceed the captured amount, the second is rejected', async () => {
  const merchant = await newMerchant(simulator.url)
  const payment = charge(cardNumberForScenario('6005'))
  await merchant.put(payment)
  const refunds = [
    operationOn('refund', payment, { amount: 1000 }),
    operationOn('refund', payment, { amount: 1000 }),
  ]
  for (const refund of refunds) expect((await merchant.put(refund)).body.status).toBe('pending')

  await merchant.advance(5_000)

  const results = await Promise.all(refunds.map(({ reference }) => merchant.lookUp(reference)))
  expect(results.map(({ body }) => body.status)).toEqual(['succeeded', 'rejected'])
  expect(await merchant.sums(payment.payment_id)).toMatchObject([{ refunded: 1000 }])
})

test('a void releases the whole remaining amount, regardless of the requested amount', async () => {
  const merchant = await newMerchant(simulator.url)
  const authorization = newAuthorization()
  await merchant.put(authorization)
  await merchant.put(operationOn('capture', authorization, { amount: 400 }))

  const { body } = await merchant.put(operationOn('void', authorization, { amount: 1250 }))

  expect(body).toMatchObject({ status: 'succeeded', amount: 1250 })
  expect(await merchant.sums(authorization.payment_id)).toMatchObject([{ captured: 400, voided: 850 }])
})
