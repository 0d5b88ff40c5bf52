// Manual actions on an invoice that is on a test clock use the time of the clock.

import { expect, test, vi } from 'vitest'
import { createMethod } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 30_000 })

const switchyard = await subscriptionsForThisFile()

/** A subscription whose renewal was just declined, on a test clock that is behind real time. */
async function anOverdueInvoice() {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: '2025-03-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  const metadata = { simulate: 'approve, decline:51, approve' }
  const { body: method } = await createMethod(workspace, undefined, { metadata })
  await workspace.post(`/payment-methods/${method.id}/attach`, { customer_id })
  const { id } = await aSubscription(workspace, { customer_id })
  const advance = (by: string) => workspace.post(`/test-clocks/${clock.id}/advance`, { by })
  await advance('P1M')
  const { body } = await workspace.get(`/invoices?subscription_id=${id}`)
  expect(body.data[0]).toMatchObject({ status: 'open', overdue: true })
  return {
    ...workspace,
    advance,
    subscriptionPath: `/subscriptions/${id}`,
    invoicePath: `/invoices/${body.data[0].id}`,
  }
}

test('a request to pay returns when the payment has ended, and the subscription is updated immediately', async () => {
  const { get, post, advance, invoicePath, subscriptionPath } = await anOverdueInvoice()
  expect((await post(`${invoicePath}/pay`)).status).toBe(200)
  expect((await get(invoicePath)).body).toMatchObject({ status: 'paid', paid_at: '2025-04-01T00:00:00.000Z' })
  await advance('PT1S')
  expect((await get(subscriptionPath)).body.collection.status).toBe('current')
})

test.each([
  ['void', { status: 'void', voided_at: '2025-04-01T00:00:00.000Z' }],
  ['mark-uncollectible', { status: 'uncollectible', marked_uncollectible_at: '2025-04-01T00:00:00.000Z' }],
])('%s uses the time of the test clock', async (action, expected) => {
  const { get, post, invoicePath } = await anOverdueInvoice()
  expect((await post(`${invoicePath}/${action}`)).status).toBe(200)
  expect((await get(invoicePath)).body).toMatchObject(expected)
})
