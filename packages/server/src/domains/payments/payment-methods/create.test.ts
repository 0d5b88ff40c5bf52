// A payment method is created by a zero-amount payment that verifies its card.

import { expect, test } from 'vitest'
import {
  cards,
  createMethod,
  createToken,
  eventTypesOf,
  shortTimeouts,
} from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})

test('a tokenized card is verified, becomes a payment method, and can be attached to a customer', async () => {
  const workspace = await switchyard.newWorkspace()
  const members = {
    usage: 'off_session',
    billing_details: { name: 'Ada Lovelace', address: { country: 'GB' } },
    metadata: { plan: 'gold' },
  }
  const { status, body: method } = await createMethod(workspace, cards.approved, members)

  expect(status, JSON.stringify(method)).toBe(201)
  expect(method).toMatchObject({
    object: 'payment_method',
    status: 'authorized',
    type: 'card',
    customer_id: null,
    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030, fingerprint: expect.any(String) },
    billing_details: { name: 'Ada Lovelace', email: null, address: { country: 'GB', city: null } },
    usage: 'off_session',
    authorization: { network_transaction_id: expect.any(String) },
    detached_reason: null,
    metadata: { plan: 'gold' },
  })
  const { body: payment } = await workspace.get(`/payments/${method.authorization.payment_id}`)
  expect(payment).toMatchObject({
    purpose: 'verification',
    status: 'succeeded',
    amount: 0,
    amount_captured: 0,
    payment_method_id: method.id,
  })
  expect(await eventTypesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])

  const customer_id = await workspace.aCustomer()
  const attached = await workspace.post(`/payment-methods/${method.id}/attach`, { customer_id })
  expect(attached).toMatchObject({ status: 200, body: { status: 'attached', customer_id } })
  expect((await workspace.get(`/payment-methods/${method.id}`)).body).toEqual(attached.body)
  expect(await eventTypesOf(workspace, method.id)).toEqual([
    'payment_method.authorized',
    'payment_method.attached',
  ])
})

test('a declined card returns 402 with decline code, advice code and payment, and creates no payment method', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body } = await createMethod(workspace, cards.declined)

  expect([status, body.code]).toEqual([402, 'payment_method_declined'])
  expect(body).toMatchObject({ decline_code: 'insufficient_funds', advice_code: 'other_method' })
  expect((await workspace.get(`/payments/${body.resource_id}`)).body).toMatchObject({
    purpose: 'verification',
    status: 'failed',
    payment_method_id: null,
  })
  expect((await workspace.get('/payment-methods')).body.data).toEqual([])
})

test('if the payer must authenticate, the response is 202 with the payment, and no payment method is created yet', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body } = await createMethod(workspace, cards.requiresAuthentication)

  expect(status, JSON.stringify(body)).toBe(202)
  expect(body).toMatchObject({
    object: 'payment',
    purpose: 'verification',
    status: 'requires_action',
    next_action: { type: 'redirect' },
    payment_method_id: null,
  })
  expect((await workspace.get('/payment-methods')).body.data).toEqual([])
})

test('if the provider does not respond, the response is 202, and the method is created once the outcome is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body: payment } = await createMethod(workspace, cards.noResponse)
  expect([status, payment.object, payment.status]).toEqual([202, 'payment', 'processing'])

  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()

  const { body: resolved } = await workspace.get(`/payments/${payment.id}`)
  expect(resolved).toMatchObject({ status: 'succeeded', payment_method_id: expect.any(String) })
  const { body: method } = await workspace.get(`/payment-methods/${resolved.payment_method_id}`)
  expect(method).toMatchObject({ status: 'authorized', authorization: { payment_id: payment.id } })
})

test('a token can be used for one verification, even if the card is declined', async () => {
  const workspace = await switchyard.newWorkspace()
  for (const number of [cards.approved, cards.declined]) {
    const token = await createToken(workspace, number)
    await workspace.post('/payment-methods', { token })

    expect(await workspace.post('/payment-methods', { token })).toMatchObject({
      status: 422,
      body: { code: 'reference_not_found', errors: [{ pointer: '/token' }] },
    })
  }
})

test('a repeat with the same idempotency key gets the same response and creates no second method', async () => {
  const workspace = await switchyard.newWorkspace()
  for (const number of [cards.approved, cards.declined, cards.requiresAuthentication]) {
    const body = { token: await createToken(workspace, number) }
    const headers = { 'idempotency-key': `card-${number}` }
    const first = await workspace.post('/payment-methods', body, { headers })
    const again = await workspace.post('/payment-methods', body, { headers })

    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect({ status: again.status, body: again.body }).toEqual({ status: first.status, body: first.body })
  }
  expect((await workspace.get('/payment-methods')).body.data).toHaveLength(1)
})
