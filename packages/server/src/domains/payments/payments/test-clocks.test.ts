// Operations on a payment on a test clock use the time of that clock.

import { expect, test, vi } from 'vitest'
import { createMethod } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 30_000 })

const switchyard = await subscriptionsForThisFile()
const startsAt = '2025-03-01T00:00:00.000Z'

/** The first payment of a subscription on a test clock that is behind real time. */
async function createPaymentOnTestClock() {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: startsAt })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  const { body: method } = await createMethod(workspace)
  await workspace.post(`/payment-methods/${method.id}/attach`, { customer_id })
  const { id } = await aSubscription(workspace, { customer_id })
  await workspace.post(`/test-clocks/${clock.id}/advance`, { by: 'PT1H' })
  const { body } = await workspace.get(`/invoices?subscription_id=${id}`)
  return { ...workspace, clock: `/test-clocks/${clock.id}`, payment: body.data[0].payment_id as string }
}

test('a refund and its events have the time of the test clock', async () => {
  const { get, post, eventsOf, payment } = await createPaymentOnTestClock()
  const { status, body: refund } = await post('/refunds', { payment_id: payment, amount: 1000 })
  expect(status).toBe(201)
  const later = '2025-03-01T01:00:00.000Z'
  expect(refund).toMatchObject({ status: 'succeeded', created_at: later, updated_at: later })
  expect((await get(`/payments/${payment}`)).body).toMatchObject({ amount_refunded: 1000, updated_at: later })
  for (const { test_clock } of await eventsOf(refund.id)) expect(test_clock.now_at).toBe(later)
})

test('after the test clock is deleted, refunds and provider events still use its time', async () => {
  const { get, post, delete: remove, clock, payment } = await createPaymentOnTestClock()
  expect((await remove(clock)).status).toBe(200)
  const { body: refund } = await post('/refunds', { payment_id: payment })
  expect(refund).toMatchObject({ status: 'succeeded', created_at: '2025-03-01T01:00:00.000Z' })
  // The provider also sends a webhook for the payment, in real time.
  await switchyard.settle()
  expect((await get(`/payments/${payment}`)).body.updated_at).toBe('2025-03-01T01:00:00.000Z')
})

test('a repeated refund request on a test clock with the same idempotency key returns the same response', async () => {
  const { post, payment } = await createPaymentOnTestClock()
  const headers = { 'idempotency-key': 'once' }
  const first = await post('/refunds', { payment_id: payment, amount: 700 }, { headers })
  const second = await post('/refunds', { payment_id: payment, amount: 700 }, { headers })
  expect(second.body).toEqual(first.body)
})
