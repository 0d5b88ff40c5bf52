// A customer pays and keeps the card: the payment method comes with the approval, in the same unit of work.

import { expect, test } from 'vitest'
import { aToken, cards, impatient, typesOf } from '../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: impatient,
})

const order = { amount: 1299, currency: 'eur', save_payment_method: true }

async function payAndKeep(workspace: Workspace, members: object = {}, number: string = cards.good) {
  const customer_id = await workspace.aCustomer()
  const token = await aToken(workspace, number)
  const answer = await workspace.post('/payments', { ...order, customer_id, token, ...members })
  return { ...answer, customer_id }
}

const methodsOf = async ({ get }: Workspace) => (await get('/payment-methods')).body.data

test('a payment that succeeds leaves a method that is the customer’s, and pays by the name the provider gave it', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body: payment, customer_id } = await payAndKeep(workspace, { usage: 'off_session' })

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
  expect(await typesOf(workspace, method.id)).toEqual([
    'payment_method.authorized',
    'payment_method.attached',
  ])
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])

  const again = { amount: 500, currency: 'eur', payment_method_id: method.id, initiator: 'merchant' }
  expect((await workspace.post('/payments', again)).body.status).toBe('succeeded')
  const calls = await simulator.callsOf(payment.provider_account_id)
  expect(calls.map(({ body }) => body)).toMatchObject([
    { kind: 'authorize', instrument: { type: 'card' }, stored_credential: { use: 'first' } },
    { kind: 'authorize', instrument: { type: 'token' }, stored_credential: { use: 'subsequent' } },
  ])
})

test('a payment that fails keeps nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  expect((await payAndKeep(workspace, {}, cards.declined)).status).toBe(402)
  expect(await methodsOf(workspace)).toEqual([])
})

test('what is only held keeps the card too: the bank has approved it, and the capture may come long after', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: held, customer_id } = await payAndKeep(workspace, { capture_method: 'manual' })
  expect(held.status).toBe('requires_capture')
  expect(await methodsOf(workspace)).toMatchObject([
    { id: held.payment_method_id, status: 'attached', customer_id },
  ])

  const { body: payment } = await workspace.post(`/payments/${held.id}/capture`)
  expect(payment).toMatchObject({ status: 'succeeded', payment_method_id: held.payment_method_id })
  expect(await methodsOf(workspace)).toHaveLength(1)
})

test('a bank that was silent and had approved: the method is there when that is known, once', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await payAndKeep(workspace, {}, cards.silentAfterCharging)
  expect(body).toMatchObject({ status: 'processing', payment_method_id: null })

  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()

  const { body: payment } = await workspace.get(`/payments/${body.id}`)
  expect(payment.status).toBe('succeeded')
  expect((await methodsOf(workspace)).map(({ id }: { id: string }) => id)).toEqual([
    payment.payment_method_id,
  ])
})

test('a customer who is deleted meanwhile keeps no card, and the payment is paid all the same', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body, customer_id } = await payAndKeep(workspace, {}, cards.silentAfterCharging)
  await workspace.delete(`/customers/${customer_id}`)

  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()

  const { body: payment } = await workspace.get(`/payments/${body.id}`)
  expect(payment).toMatchObject({ status: 'succeeded', payment_method_id: null })
  expect(await methodsOf(workspace)).toEqual([])
})

test('to keep a card needs a customer, and a card that is not kept yet', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await aToken(workspace)
  expect(await workspace.post('/payments', { ...order, token })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/customer_id', code: 'required' }] },
  })
  const { body: payment } = await payAndKeep(workspace)
  const { payment_method_id } = payment
  expect(await workspace.post('/payments', { ...order, payment_method_id })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/save_payment_method', code: 'not_together' }] },
  })
})
