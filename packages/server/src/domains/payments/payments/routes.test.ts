// The payments API end to end, with the simulator as provider. Its ledger confirms the results.

import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

/** A server with a short provider timeout, for providers that do not respond. */
const shortTimeouts = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 500, requestMs: 10_000 } },
})

const approvedCard = '4242424242424242'

async function aToken({ post }: Workspace, number = approvedCard): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: number.startsWith('37') ? '1234' : '123' }
  const { status, body } = await post('/tokens', { type: 'card', card })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function pay(workspace: Workspace, members: object = {}, number = approvedCard, headers = {}) {
  const token = await aToken(workspace, number)
  return workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members }, { headers })
}

/** The sums of a payment in the ledgers of all accounts. */
const sumsOf = async (paymentId: string) => {
  const response = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  const { sums } = (await response.json()) as { sums: Record<string, number>[] }
  return sums[0] ?? { approvals: 0, captured: 0, refunded: 0 }
}

test('a payment with a valid card succeeds synchronously, emits events, and has one ledger entry', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body } = await pay(workspace, { metadata: { order: '4711' }, description: 'A book' })

  expect(status, JSON.stringify(body)).toBe(201)
  expect(body).toMatchObject({
    object: 'payment',
    status: 'succeeded',
    amount: 1299,
    amount_captured: 1299,
    amount_capturable: 0,
    attempts_count: 1,
    summary: '€12.99 charged to Visa •••• 4242.',
    metadata: { order: '4711' },
  })
  expect((await workspace.get(`/payments/${body.id}`)).body).toEqual(body)
  const events = await workspace.eventsOf(body.id)
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['payment.created', 'payment.succeeded'])
  expect(await sumsOf(body.id)).toMatchObject({ approvals: 1, captured: 1299, refunded: 0 })
})

test('a declined card returns 402 with decline code, advice code and payment, and nothing is charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body } = await pay(workspace, {}, '4000000000510000')

  expect(status, JSON.stringify(body)).toBe(402)
  expect(body).toMatchObject({
    code: 'payment_failed',
    decline_code: 'insufficient_funds',
    advice_code: 'other_method',
  })
  const { body: payment } = await workspace.get(`/payments/${body.resource_id}`)
  expect(payment).toMatchObject({
    status: 'failed',
    amount_captured: 0,
    failure: { code: 'insufficient_funds' },
  })
})

test('a token can be used for one payment, even if it is declined', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await aToken(workspace, '4000000000510000')
  const body = { amount: 100, currency: 'eur', token }
  expect((await workspace.post('/payments', body)).status).toBe(402)

  expect(await workspace.post('/payments', body)).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/token' }] },
  })
})

test('a repeat with the same idempotency key returns the same response and charges nothing, even after a decline', async () => {
  const workspace = await switchyard.newWorkspace()
  for (const number of [approvedCard, '4000000000510000']) {
    const token = await aToken(workspace, number)
    const body = { amount: 100, currency: 'eur', token }
    const headers = { 'idempotency-key': `order-${number}` }
    const first = await workspace.post('/payments', body, { headers })
    const again = await workspace.post('/payments', body, { headers })

    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect({ status: again.status, body: again.body }).toEqual({ status: first.status, body: first.body })
    const id = first.body.resource_id ?? first.body.id
    expect((await sumsOf(id)).approvals).toBe(number === approvedCard ? 1 : 0)
  }
})

test('twenty concurrent requests with one idempotency key create one payment', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await aToken(workspace)
  const body = { amount: 100, currency: 'eur', token }
  const headers = { 'idempotency-key': 'order-1' }
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => workspace.post('/payments', body, { headers })),
  )

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(responses.map(({ body: { id } }) => id)).size).toBe(1)
  expect((await sumsOf(responses[0]?.body.id)).approvals).toBe(1)
})

test('an order reference can be reused only after its payment has failed or been cancelled', async () => {
  const workspace = await switchyard.newWorkspace()
  const order = { order_reference: 'order-4711' }
  expect((await pay(workspace, order, '4000000000510000')).status).toBe(402)
  const second = await pay(workspace, order)
  expect(second.status).toBe(201)
  expect(await pay(workspace, order)).toMatchObject({ status: 409, body: { code: 'order_has_payment' } })
})

test('an authorization can be captured in parts up to its amount, and a final capture releases the rest', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: payment } = await pay(workspace, { capture_method: 'manual' })
  expect(payment).toMatchObject({ status: 'requires_capture', amount_capturable: 1299, amount_captured: 0 })

  const part = await workspace.post(`/payments/${payment.id}/capture`, { amount: 300, final: false })
  expect(part.body).toMatchObject({
    status: 'requires_capture',
    amount_captured: 300,
    amount_capturable: 999,
  })
  const tooMuch = await workspace.post(`/payments/${payment.id}/capture`, { amount: 1000 })
  expect(tooMuch).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/amount', code: 'too_large' }] },
  })
  const last = await workspace.post(`/payments/${payment.id}/capture`, { amount: 200 })
  expect(last.body).toMatchObject({ status: 'succeeded', amount_captured: 500, amount_capturable: 0 })
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 500 })

  const types = (await workspace.eventsOf(payment.id)).map(({ type }: { type: string }) => type)
  expect(types).toEqual([
    'payment.created',
    'payment.authorized',
    'payment.updated',
    'payment.captured',
    'payment.updated',
    'payment.succeeded',
  ])
  expect(await workspace.post(`/payments/${payment.id}/capture`, {})).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'succeeded', allowed_actions: [] },
  })
})

test('an account that captures or refunds only whole amounts rejects parts', async () => {
  const workspace = await switchyard.newWorkspace()
  for (const { id } of (await workspace.get('/provider-accounts')).body.data)
    await workspace.put(`/provider-accounts/${id}`, {
      capabilities: { multi_capture: false, partial_refund: false },
    })
  const { id } = (await pay(workspace, { capture_method: 'manual' })).body

  const part = await workspace.post(`/payments/${id}/capture`, { amount: 1000, final: false })
  expect(part).toMatchObject({ status: 400, body: { errors: [{ pointer: '/final' }] } })
  expect((await workspace.post(`/payments/${id}/capture`)).status).toBe(200)
  const refund = await workspace.post('/refunds', { payment_id: id, amount: 300 })
  expect(refund).toMatchObject({ status: 400, body: { errors: [{ pointer: '/amount' }] } })
  expect((await workspace.post('/refunds', { payment_id: id, amount: 1299 })).status).toBe(201)
  expect(await sumsOf(id)).toMatchObject({ captured: 1299, refunded: 1299 })
})

test('cancelling an authorized payment voids the authorization, and nothing is charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: payment } = await pay(workspace, { capture_method: 'manual' })
  const { status, body } = await workspace.post(`/payments/${payment.id}/cancel`, {})

  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'cancelled', amount_capturable: 0 } })
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
  expect((await workspace.post(`/payments/${payment.id}/cancel`, {})).body.status).toBe('cancelled')
})

test('while the outcome is unknown the payment is processing, no other account is tried, and a check finds the outcome', async () => {
  const workspace = await shortTimeouts.newWorkspace()
  const { status, body } = await pay(workspace, {}, '4000000050040007')

  expect({ status, body }).toMatchObject({ status: 201, body: { status: 'processing', attempts_count: 1 } })
  expect(body.unresolved_since_at).not.toBeNull()
  expect(body.summary).toMatch(
    /^Outcome unknown: checking with the provider whether €12.99 was charged to Visa •••• 0007\./,
  )
  shortTimeouts.clock.advance({ seconds: 3 })
  await shortTimeouts.settle()
  const { body: after } = await workspace.get(`/payments/${body.id}`)
  expect(after).toMatchObject({ status: 'succeeded', attempts_count: 1, unresolved_since_at: null })
  expect((await sumsOf(body.id)).approvals).toBe(1)
})

test('a payment that is cancelled while its outcome is unknown is cancelled once the provider has closed the operation', async () => {
  const workspace = await shortTimeouts.newWorkspace()
  const { body: payment } = await pay(workspace, {}, '4000000050010000')
  expect(payment.status).toBe('processing')
  await workspace.post(`/payments/${payment.id}/cancel`, {})
  shortTimeouts.clock.advance({ seconds: 1 })
  await shortTimeouts.settle()

  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ status: 'cancelled' })
  expect((await sumsOf(payment.id)).approvals).toBe(0)
})

test('without an eligible account a payment fails with no_eligible_provider', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await workspace.post(`/provider-accounts/${id}/disable`, {})
  const { status, body } = await pay(workspace)

  expect({ status, body }).toMatchObject({ status: 402, body: { decline_code: 'no_eligible_provider' } })
})
