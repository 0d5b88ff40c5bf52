// Simulates the traffic of a shop in test mode: customers, payments that are approved, declined, captured and refunded,
// webhooks that arrive or fail, and invalid requests.

import { randomUUID } from 'node:crypto'
import { Switchyard } from '@switchyard/sdk'
import { seed } from '../../packages/cli/src/seed/seed.ts'

export type Merchant = { readonly url: string; readonly token: string; readonly receiverUrl: string }

const cards = { good: '4242424242424242', declined: '4000000000510000' }

export async function generateTraffic(
  { url, token, receiverUrl }: Merchant,
  durationMs: number,
): Promise<number> {
  let calls = 0
  const post = async (path: string, body: object, key: string = randomUUID()) => {
    calls += 1
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key }
    const requestHeaders = { ...headers, 'Content-Type': 'application/json' }
    const response = await fetch(url + path, {
      method: 'POST',
      headers: requestHeaders,
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string }
  }
  const pay = async (number: string, members: object = {}) => {
    const card = { number, exp_month: 12, exp_year: 2034, cvc: '123' }
    const { id } = await post('/tokens', { type: 'card', card })
    return post('/payments', { amount: 1299, currency: 'eur', token: id, ...members })
  }

  // Includes subscriptions, invoices and payment links.
  for await (const _ of seed(new Switchyard({ token, baseUrl: url }))) calls += 1
  await post('/webhook-endpoints', { url: receiverUrl, event_types: ['*'] })
  await post('/webhook-endpoints', { url: 'http://127.0.0.1:1024/', event_types: ['customer.*'] })
  const deadlineMs = performance.now() + durationMs
  for (let round = 0; performance.now() < deadlineMs; round += 1) {
    await post('/customers', { email: `payer${round}@example.com` })
    const authorized = await pay(cards.good, { capture_method: 'manual' })
    await post(`/payments/${authorized.id}/capture`, {})
    await post('/refunds', { payment_id: (await pay(cards.good)).id })
    await pay(cards.declined)
    // A reused idempotency key, and an invalid token.
    await post('/customers', { email: `again${round}@example.com` }, 'one key')
    await fetch(`${url}/customers`, { headers: { Authorization: 'Bearer nobody' } })
  }
  return calls
}
