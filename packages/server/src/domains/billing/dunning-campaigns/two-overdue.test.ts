// Several overdue invoices of one subscription. This test has its own file, and so its own database, because
// each simulated day runs all work that is due in the database.

import { expect, test, vi } from 'vitest'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

test('with several overdue invoices, the oldest campaign applies its final action and the others are stopped', async () => {
  const interval = { interval: 'week' } as const
  const workspace = await switchyard.newWorkspace()
  const { body: product } = await workspace.post('/products', { name: 'Weekly' })
  const terms = { product_id: product.id, currency: 'usd', unit_amount: 500, recurring: interval }
  const { body: price } = await workspace.post('/prices', terms)
  const { customerId: customer_id, paymentMethodId } = await aPayer(workspace)
  await workspace.put(`/payment-methods/${paymentMethodId}`, {
    metadata: { simulate: 'approve, decline:51' },
  })
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id: price.id }] })
  await settle()
  // Advance one day at a time, so that work runs on the day on which it is due.
  for (let day = 0; day < 24; day += 1) {
    clock.advance({ days: 1 })
    await settle()
  }

  const { body } = await workspace.get(`/dunning-campaigns?subscription_id=${id}`)
  const statuses = body.data.map(({ status }: { status: string }) => status)
  expect(statuses.at(-1)).toBe('exhausted')
  expect(statuses.slice(0, -1).length).toBeGreaterThan(0)
  for (const status of statuses.slice(0, -1)) expect(status).toBe('stopped')
  expect((await workspace.get(`/subscriptions/${id}`)).body).toMatchObject({ status: 'paused' })
})
