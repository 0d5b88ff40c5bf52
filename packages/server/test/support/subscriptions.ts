// Subscriptions through the front door, for tests.

import { expect } from 'vitest'
import { settle as settleAll } from '../../src/platform/engine/settle.ts'
import { works } from '../../src/worker.ts'
import { billingForThisFile } from './billing.ts'
import type { Workspace } from './switchyard.ts'

/** The whole service: whoever is above invoices hears of what happens to them. */
export async function subscriptionsForThisFile() {
  const billing = await billingForThisFile()
  const settle = () => settleAll(billing.deps, works)
  return {
    ...billing,
    settle,
    /** The world goes on, and the resolver asks. */
    async letTimePass(rounds = 4): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        await billing.letTimePass(1)
        await settle()
      }
    },
  }
}

export async function aPrice({ post }: Workspace, members: object = {}): Promise<string> {
  const { body: product } = await post('/products', { name: 'Team plan' })
  const price = {
    ...{ product_id: product.id, currency: 'usd', unit_amount: 2999 },
    recurring: { interval: 'month' },
    ...members,
  }
  const { status, body } = await post('/prices', price)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

/** One of a monthly price, unless it says otherwise. It waits for its first payment until the workers have run. */
export async function aSubscription(workspace: Workspace, members: object = {}) {
  const customer_id =
    'customer_id' in members ? members.customer_id : await workspace.aCustomer({ email: 'ada@example.com' })
  const items = 'items' in members ? members.items : [{ price_id: await aPrice(workspace) }]
  const { status, body } = await workspace.post('/subscriptions', { ...members, customer_id, items })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
