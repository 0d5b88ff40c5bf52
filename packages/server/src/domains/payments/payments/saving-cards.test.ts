// Saving the card of a payment. The transaction that records the approval creates the payment method.

import { expect, test } from 'vitest'
import { cards, createToken, eventTypesOf, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})

const order = { amount: 1299, currency: 'eur', save_payment_method: true }

async function payAndSaveCard(workspace: Workspace, members: object = {}, number: string = cards.approved) {
  const customer_id = await workspace.aCustomer()
  const token = await createToken(workspace, number)
  const response = await workspace.post('/payments', { ...order, customer_id, token, ...members })
  return { ...response, customer_id }
}

const methodsOf = async ({ get }: Workspace) => (await get('/payment-methods')).body.data

test('a successful payment creates a method attached to the customer; later payments charge it with the provider token', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body: payment, customer_id } = await payAndSaveCard(workspace, { usage: 'off_session' })

  expect([status, payment.status], JSON.stringify(payment)).toEqual([201, 'succeeded'])
  const { body: method } = await workspace.get(`/payment-methods/${payment.payment_method_id}`)
  expect(method).toMatchObject({
    status: 'attached',
    customer_id,
    usage: 'off_session',
    card: { last4: '4242' },
    authorization: {
      payment_id: payment.id,
      provider_account_id: payment.provider_account_id,
      network_transaction_id: expect.any(String),
    },
  })
  expect(await eventTypesOf(workspace, method.id)).toEqual([
    'payment_method.authorized',
    'payment_method.attached',
  ])
  expect(await eventTypesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])

  const again = { amount: 500, currency: 'eur', payment_method_id: method.id, initiator: 'merchant' }
  expect((await workspace.post('/payments', again)).body.status).toBe('succeeded')
  const calls = await simulator.listCalls(payment.provider_account_id)
  expect(calls.map(({ body }) => body)).toMatchObject([
    { kind: 'authorize', instrument: { type: 'card' }, stored_credential: { use: 'first' } },
    { kind: 'authorize', instrument: { type: 'token' }, stored_credential: { use: 'subsequent' } },
  ])
})

test('a failed payment saves no card', async () => {
  const workspace = await switchyard.newWorkspace()
  expect((await payAndSaveCard(workspace, {}, cards.declined)).status).toBe(402)
  expect(await methodsOf(workspace)).toEqual([])
})

test('a payment with manual capture saves the card when it is authorized', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: authorized, customer_id } = await payAndSaveCard(workspace, { capture_method: 'manual' })
  expect(authorized.status).toBe('requires_capture')
  expect(await methodsOf(workspace)).toMatchObject([
    { id: authorized.payment_method_id, status: 'attached', customer_id },
  ])

  const { body: payment } = await workspace.post(`/payments/${authorized.id}/capture`)
  expect(payment).toMatchObject({ status: 'succeeded', payment_method_id: authorized.payment_method_id })
  expect(await methodsOf(workspace)).toHaveLength(1)
})

test('if the provider approves but does not respond, the method is created once when the outcome is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await payAndSaveCard(workspace, {}, cards.noResponse)
  expect(body).toMatchObject({ status: 'processing', payment_method_id: null })

  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()

  const { body: payment } = await workspace.get(`/payments/${body.id}`)
  expect(payment.status).toBe('succeeded')
  expect((await methodsOf(workspace)).map(({ id }: { id: string }) => id)).toEqual([
    payment.payment_method_id,
  ])
})

test('if the customer is deleted while the outcome is unknown, no card is saved, and the payment still succeeds', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body, customer_id } = await payAndSaveCard(workspace, {}, cards.noResponse)
  await workspace.delete(`/customers/${customer_id}`)

  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()

  const { body: payment } = await workspace.get(`/payments/${body.id}`)
  expect(payment).toMatchObject({ status: 'succeeded', payment_method_id: null })
  expect(await methodsOf(workspace)).toEqual([])
})

test('saving a card requires a customer and a card token', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace)
  expect(await workspace.post('/payments', { ...order, token })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/customer_id', code: 'required' }] },
  })
  const { body: payment } = await payAndSaveCard(workspace)
  const { payment_method_id } = payment
  expect(await workspace.post('/payments', { ...order, payment_method_id })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/save_payment_method', code: 'not_together' }] },
  })
})
