// Traffic of a shop, in the test environment: customers, payments that are approved, declined, captured and given back,
// webhooks that arrive and some that do not, and a few mistakes of a client.

import { randomUUID } from 'node:crypto'
import { Switchyard } from '@switchyard/sdk'
import { seed } from '../../packages/cli/src/seed/seed.ts'

export type Shop = { readonly url: string; readonly token: string; readonly receiverUrl: string }

const cards = { good: '4242424242424242', declined: '4000000000510000' }

export async function makeTraffic({ url, token, receiverUrl }: Shop, forMs: number): Promise<number> {
  let calls = 0
  const post = async (path: string, body: object, key: string = randomUUID()) => {
    calls += 1
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key }
    const sent = { ...headers, 'Content-Type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers: sent, body: JSON.stringify(body) })
    return (await answer.json()) as { id: string }
  }
  const pay = async (number: string, members: object = {}) => {
    const card = { number, exp_month: 12, exp_year: 2034, cvc: '123' }
    const { id } = await post('/tokens', { type: 'card', card })
    return post('/payments', { amount: 1299, currency: 'eur', token: id, ...members })
  }

  // Subscriptions, invoices and links among them.
  for await (const _ of seed(new Switchyard({ token, baseUrl: url }))) calls += 1
  await post('/webhook-endpoints', { url: receiverUrl, event_types: ['*'] })
  await post('/webhook-endpoints', { url: 'http://127.0.0.1:1024/', event_types: ['customer.*'] })
  const endMs = performance.now() + forMs
  for (let round = 0; performance.now() < endMs; round += 1) {
    await post('/customers', { email: `payer${round}@example.com` })
    const held = await pay(cards.good, { capture_method: 'manual' })
    await post(`/payments/${held.id}/capture`, {})
    await post('/refunds', { payment_id: (await pay(cards.good)).id })
    await pay(cards.declined)
    // The same key for another request, and a token of nobody.
    await post('/customers', { email: `again${round}@example.com` }, 'one key')
    await fetch(`${url}/customers`, { headers: { Authorization: 'Bearer nobody' } })
  }
  return calls
}
