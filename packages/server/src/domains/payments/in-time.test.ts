// A payment that lives on a test clock is captured, given back and cancelled in the time of that clock.

import { expect, test, vi } from 'vitest'
import { createMethod } from '../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 30_000 })

const switchyard = await subscriptionsForThisFile()
const then = '2025-03-01T00:00:00.000Z'

/** The first payment of a subscription on a clock that is behind the world. */
async function aPaymentOnAClock() {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: then })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  const { body: method } = await createMethod(workspace)
  await workspace.post(`/payment-methods/${method.id}/attach`, { customer_id })
  const { id } = await aSubscription(workspace, { customer_id })
  await workspace.post(`/test-clocks/${clock.id}/advance`, { by: 'PT1H' })
  const { body } = await workspace.get(`/invoices?subscription_id=${id}`)
  return { ...workspace, clock: `/test-clocks/${clock.id}`, payment: body.data[0].payment_id as string }
}

test('what is given back is dated by the clock, and told in its time', async () => {
  const { get, post, eventsOf, payment } = await aPaymentOnAClock()
  const { status, body: refund } = await post('/refunds', { payment_id: payment, amount: 1000 })
  expect(status).toBe(201)
  const later = '2025-03-01T01:00:00.000Z'
  expect(refund).toMatchObject({ status: 'succeeded', created_at: later, updated_at: later })
  expect((await get(`/payments/${payment}`)).body).toMatchObject({ amount_refunded: 1000, updated_at: later })
  for (const { test_clock } of await eventsOf(refund.id)) expect(test_clock.now_at).toBe(later)
})

test('so it is on a clock that was deleted, and with a word of the provider', async () => {
  const { get, post, delete: remove, clock, payment } = await aPaymentOnAClock()
  expect((await remove(clock)).status).toBe(200)
  const { body: refund } = await post('/refunds', { payment_id: payment })
  expect(refund).toMatchObject({ status: 'succeeded', created_at: '2025-03-01T01:00:00.000Z' })
  // The provider tells of the payment too, in the world's time.
  await switchyard.settle()
  expect((await get(`/payments/${payment}`)).body.updated_at).toBe('2025-03-01T01:00:00.000Z')
})

test('a key holds for it as for any other', async () => {
  const { post, payment } = await aPaymentOnAClock()
  const headers = { 'idempotency-key': 'once' }
  const first = await post('/refunds', { payment_id: payment, amount: 700 }, { headers })
  const second = await post('/refunds', { payment_id: payment, amount: 700 }, { headers })
  expect(second.body).toEqual(first.body)
})
