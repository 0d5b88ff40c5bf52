// What is done to an authorization, and that nobody gets more than is there.

import { afterAll, expect, test } from 'vitest'
import { numberOfScenario } from '../src/cards.ts'
import { startSimulator } from '../src/index.ts'
import { charge, follow, hold, newMerchant } from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())

test('a hold is captured in parts, let go of, and what was taken is refunded', async () => {
  const merchant = await newMerchant(simulator.url)
  const authorization = hold()
  const approved = await merchant.put(authorization)
  const capture = follow('capture', authorization, { amount: 400 })

  expect(Date.parse(approved.body.capture_before_at ?? '')).toBeGreaterThan(Date.now())
  expect((await merchant.put(capture)).body).toMatchObject({
    kind: 'capture',
    status: 'succeeded',
    amount: 400,
  })
  await merchant.put(follow('capture', authorization, { amount: 350 }))
  await merchant.put(follow('void', authorization, { amount: 500 }))
  await merchant.put(follow('refund', authorization, { amount: 100 }))
  await merchant.put(follow('refund', capture, { amount: 50 }))

  expect(await merchant.sums(authorization.payment_id)).toEqual([
    {
      payment_id: authorization.payment_id,
      currency: 'eur',
      ...{ approvals: 1, authorized: 1250, captured: 750, voided: 500, refunded: 150 },
    },
  ])
})

test.each([
  ['capture', { amount: 1251 }, 'amount_not_supported'],
  ['capture', { currency: 'usd' }, 'currency_not_supported'],
  ['capture', { parent_reference: 'never-sent' }, 'provider_request_invalid'],
  ['refund', { amount: 1 }, 'provider_request_invalid'],
] as const)('a %s with %j is rejected and moves nothing', async (kind, changes, code) => {
  const merchant = await newMerchant(simulator.url)
  const authorization = hold()
  await merchant.put(authorization)

  const answer = await merchant.put(follow(kind, authorization, changes))

  expect(answer).toMatchObject({ status: 422, body: { status: 'rejected', error: { code } } })
  expect(await merchant.facts()).toHaveLength(1)
})

test('operations that name each other as parents are rejected', async () => {
  const merchant = await newMerchant(simulator.url)
  const [one, other] = [hold(), hold()]
  const around = [
    follow('capture', other, { reference: one.reference }),
    follow('refund', one, { reference: other.reference }),
  ]

  for (const request of around) expect((await merchant.put(request)).body.status).toBe('rejected')
})

test('what was captured cannot be voided, and what was voided cannot be captured', async () => {
  const merchant = await newMerchant(simulator.url)
  const [taken, released] = [charge(), hold()]
  await merchant.put(taken)
  await merchant.put(released)
  await merchant.put(follow('void', released))

  expect((await merchant.put(follow('void', taken))).body.status).toBe('rejected')
  expect((await merchant.put(follow('capture', released))).body.status).toBe('rejected')
})

test('a refund of more than is left is rejected, also where two of them wait', async () => {
  const merchant = await newMerchant(simulator.url)
  const payment = charge(numberOfScenario('6005'))
  await merchant.put(payment)
  const refunds = [follow('refund', payment, { amount: 1000 }), follow('refund', payment, { amount: 1000 })]
  for (const refund of refunds) expect((await merchant.put(refund)).body.status).toBe('pending')

  await merchant.advance(5_000)

  const ends = await Promise.all(refunds.map(({ reference }) => merchant.lookUp(reference)))
  expect(ends.map(({ body }) => body.status)).toEqual(['succeeded', 'rejected'])
  expect(await merchant.sums(payment.payment_id)).toMatchObject([{ refunded: 1000 }])
})

test('a void lets go of all that is left, whatever amount it names', async () => {
  const merchant = await newMerchant(simulator.url)
  const authorization = hold()
  await merchant.put(authorization)
  await merchant.put(follow('capture', authorization, { amount: 400 }))

  const { body } = await merchant.put(follow('void', authorization, { amount: 1250 }))

  expect(body).toMatchObject({ status: 'succeeded', amount: 1250 })
  expect(await merchant.sums(authorization.payment_id)).toMatchObject([{ captured: 400, voided: 850 }])
})
