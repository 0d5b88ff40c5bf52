// More than one invoice of a subscription is owed. In a database of its own: all that is due in it is due each day.

import { expect, test, vi } from 'vitest'
import { aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

test('two invoices are overdue: the older campaign decides, and the other stops with it', async () => {
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
  // Day by day, as time passes: what is due on one day comes before what follows from it.
  for (let day = 0; day < 24; day += 1) {
    clock.advance({ days: 1 })
    await settle()
  }

  const { body } = await workspace.get(`/dunning-campaigns?subscription_id=${id}`)
  const states = body.data.map(({ status }: { status: string }) => status)
  expect(states.at(-1)).toBe('exhausted')
  expect(states.slice(0, -1).length).toBeGreaterThan(0)
  for (const status of states.slice(0, -1)) expect(status).toBe('stopped')
  expect((await workspace.get(`/subscriptions/${id}`)).body).toMatchObject({ status: 'paused' })
})
