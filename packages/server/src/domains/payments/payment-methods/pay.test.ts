// Payments with a payment method.

import { expect, test } from 'vitest'
import {
  createAttachedMethod,
  createAuthorizedMethod,
  createToken,
} from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
})

test('an attached method can be charged repeatedly, for its customer and with the provider token', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const payment_method_id = await createAttachedMethod(workspace, customer_id)
  const order = { amount: 1299, currency: 'eur', payment_method_id }
  const [first, second] = [
    await workspace.post('/payments', order),
    await workspace.post('/payments', { ...order, customer_id, initiator: 'merchant' }),
  ]

  for (const { status, body } of [first, second]) {
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({
      status: 'succeeded',
      customer_id,
      payment_method_id,
      card: { last4: '4242' },
    })
  }
  const { body: method } = await workspace.get(`/payment-methods/${payment_method_id}`)
  const calls = await simulator.listCalls(method.authorization.provider_account_id)
  expect(calls.map(({ body }) => body)).toMatchObject([
    {
      kind: 'verify',
      capture: false,
      instrument: { type: 'card' },
      stored_credential: { use: 'first' },
    },
    ...[1, 2].map(() => ({
      kind: 'authorize',
      instrument: { type: 'token' },
      stored_credential: {
        use: 'subsequent',
        network_transaction_id: method.authorization.network_transaction_id,
      },
    })),
  ])
})

test('only an attached method can be charged, and only for its own customer', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await createAuthorizedMethod(workspace)
  const pay = (members: object) => workspace.post('/payments', { amount: 100, currency: 'eur', ...members })

  expect(await pay({ payment_method_id: id })).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'authorized' },
  })
  const [customer, otherCustomer] = [await workspace.aCustomer(), await workspace.aCustomer()]
  await workspace.post(`/payment-methods/${id}/attach`, { customer_id: customer })
  expect(await pay({ payment_method_id: id, customer_id: otherCustomer })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/customer_id', code: 'not_together' }] },
  })
  await workspace.post(`/payment-methods/${id}/detach`)
  expect(await pay({ payment_method_id: id })).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'detached' },
  })
  const purposes = (await workspace.get('/payments')).body.data.map(
    ({ purpose }: { purpose: string }) => purpose,
  )
  expect(purposes).toEqual(['verification'])
})

test('a payment requires either a token or a payment method of the workspace', async () => {
  const workspace = await switchyard.newWorkspace()
  const otherWorkspace = await switchyard.newWorkspace()
  const foreignMethod = await createAttachedMethod(otherWorkspace, await otherWorkspace.aCustomer())
  const pay = (members: object) => workspace.post('/payments', { amount: 100, currency: 'eur', ...members })
  const token = await createToken(workspace)

  expect(await pay({})).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/token', code: 'required' }] },
  })
  expect(await pay({ token, payment_method_id: foreignMethod })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/payment_method_id', code: 'not_together' }] },
  })
  expect(await pay({ payment_method_id: foreignMethod })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/payment_method_id' }] },
  })
})
