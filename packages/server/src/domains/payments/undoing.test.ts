// Cancelling what is under way: whatever the provider turns out to have done is undone, and the ledger agrees.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { aToken, impatient, typesOf } from '../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: impatient,
})

const good = '4242424242424242'
/** Does it, and says nothing. */
const silent = numberOfScenario('5004')

async function pay(workspace: Workspace, number: string, members: object = {}) {
  const token = await aToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

async function letPass(seconds: number): Promise<void> {
  switchyard.clock.advance({ seconds })
  await switchyard.settle()
}

test('cancelled while nobody knows, and found taken: it succeeded, and the money goes back by itself', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, silent)
  expect(payment.status).toBe('processing')

  const { body: asked } = await workspace.post(`/payments/${payment.id}/cancel`)
  expect(asked).toMatchObject({ status: 'processing', cancel_requested_at: expect.any(String) })
  await letPass(1)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'succeeded',
    amount_captured: 1299,
    amount_refunding: 0,
    amount_refunded: 1299,
    summary: `EUR 12.99 was taken from visa ending in ${body.card.last4}. EUR 12.99 was given back.`,
  })
  const { body: refunds } = await workspace.get(`/refunds?payment_id=${payment.id}`)
  expect(refunds.data).toMatchObject([{ source: 'automatic', status: 'succeeded', amount: 1299 }])
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 1299, refunded: 1299 })
  await ledger.agreesWith(body)
})

test('cancelled while nobody knows, and found held: it is let go at once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, silent, { capture_method: 'manual' })
  await workspace.post(`/payments/${payment.id}/cancel`)
  await letPass(1)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'cancelled', amount_capturable: 0, amount_captured: 0 })
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
  expect((await typesOf(workspace, payment.id)).slice(-3)).toEqual([
    ...['payment.authorized', 'payment.updated', 'payment.cancelled'],
  ])
})

test('cancelled during a capture that turns out to have worked: the money goes back', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, numberOfScenario('6002'), { capture_method: 'manual' })
  const { body: capturing } = await workspace.post(`/payments/${held.id}/capture`)
  expect(capturing.status).toBe('processing')
  await workspace.post(`/payments/${held.id}/cancel`)
  await letPass(1)

  const { body } = await workspace.get(`/payments/${held.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, amount_refunded: 1299 })
  await ledger.agreesWith(body)
})

test('the provider does not let go: it stays as it was, says why, and can still be captured without being given back', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, numberOfScenario('6003'), { capture_method: 'manual' })
  const { body: failed } = await workspace.post(`/payments/${held.id}/cancel`)
  expect(failed).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 1299,
    cancel_requested_at: null,
    last_error: { code: 'transaction_not_permitted' },
  })

  const { body } = await workspace.post(`/payments/${held.id}/capture`)
  expect(body).toMatchObject({
    status: 'succeeded',
    amount_refunded: 0,
    amount_refunding: 0,
    last_error: null,
  })
  await ledger.agreesWith(body)
})

test('a cancel whose answer is lost is asked about until it is known, and never taken back', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, good, { capture_method: 'manual' })
  const account = held.provider_account_id
  await simulator.configure(account, { outage: true, outage_manner: 'silence' })
  const { body: asked } = await workspace.post(`/payments/${held.id}/cancel`)
  expect(asked.status).toBe('processing')

  await simulator.configure(account, { outage: false })
  await letPass(75)

  const { body } = await workspace.get(`/payments/${held.id}`)
  expect(body.status).toBe('cancelled')
  expect(await ledger.sumsOf(held.id)).toMatchObject({ captured: 0, voided: 1299 })
})

test('what was captured in part stays taken when the rest is let go', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, good, { capture_method: 'manual' })
  await workspace.post(`/payments/${held.id}/capture`, { amount: 300, final: false })
  const { body } = await workspace.post(`/payments/${held.id}/cancel`)

  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 300, amount_capturable: 0 })
  await ledger.agreesWith(body)
})
