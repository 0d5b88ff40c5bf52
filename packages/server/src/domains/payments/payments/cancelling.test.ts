// Cancelling a payment in progress: if it turns out that the provider authorized or charged it, that is
// reversed. The ledger of the simulator confirms it.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { createToken, eventTypesOf, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})

const approvedCard = '4242424242424242'
/** The simulator processes the operation, but does not respond. */
const noResponseCard = cardNumberForScenario('5004')

async function pay(workspace: Workspace, number: string, members: object = {}) {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

async function advanceSeconds(seconds: number): Promise<void> {
  switchyard.clock.advance({ seconds })
  await switchyard.settle()
}

test('a payment that is cancelled while its outcome is unknown and turns out to be charged is refunded', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, noResponseCard)
  expect(payment.status).toBe('processing')

  const { body: cancelling } = await workspace.post(`/payments/${payment.id}/cancel`)
  expect(cancelling).toMatchObject({ status: 'processing', cancel_requested_at: expect.any(String) })
  await advanceSeconds(1)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'succeeded',
    amount_captured: 1299,
    amount_refunding: 0,
    amount_refunded: 1299,
    summary: `€12.99 charged to Visa •••• ${body.card.last4}. €12.99 refunded.`,
  })
  const { body: refunds } = await workspace.get(`/refunds?payment_id=${payment.id}`)
  expect(refunds.data).toMatchObject([{ source: 'automatic', status: 'succeeded', amount: 1299 }])
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 1, captured: 1299, refunded: 1299 })
  await ledger.expectMatch(body)
})

test('a payment that is cancelled while its outcome is unknown and turns out to be authorized is voided', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, noResponseCard, { capture_method: 'manual' })
  await workspace.post(`/payments/${payment.id}/cancel`)
  await advanceSeconds(1)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'cancelled', amount_capturable: 0, amount_captured: 0 })
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
  expect((await eventTypesOf(workspace, payment.id)).slice(-3)).toEqual([
    'payment.authorized',
    'payment.updated',
    'payment.cancelled',
  ])
})

test('a payment that is cancelled during a capture is refunded if the capture turns out to have succeeded', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, cardNumberForScenario('6002'), { capture_method: 'manual' })
  const { body: capturing } = await workspace.post(`/payments/${authorized.id}/capture`)
  expect(capturing.status).toBe('processing')
  await workspace.post(`/payments/${authorized.id}/cancel`)
  await advanceSeconds(1)

  const { body } = await workspace.get(`/payments/${authorized.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, amount_refunded: 1299 })
  await ledger.expectMatch(body)
})

test('if the void fails, the authorization stays, last_error says why, and a later capture is not refunded', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, cardNumberForScenario('6003'), { capture_method: 'manual' })
  const { body: failed } = await workspace.post(`/payments/${authorized.id}/cancel`)
  expect(failed).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 1299,
    cancel_requested_at: null,
    last_error: { code: 'transaction_not_permitted' },
  })

  const { body } = await workspace.post(`/payments/${authorized.id}/capture`)
  expect(body).toMatchObject({
    status: 'succeeded',
    amount_refunded: 0,
    amount_refunding: 0,
    last_error: null,
  })
  await ledger.expectMatch(body)
})

test('a void whose response is lost is checked until its outcome is known, and the payment is cancelled', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, approvedCard, { capture_method: 'manual' })
  const account = authorized.provider_account_id
  await simulator.configure(account, { outage: true, outage_manner: 'silence' })
  const { body: cancelling } = await workspace.post(`/payments/${authorized.id}/cancel`)
  expect(cancelling.status).toBe('processing')

  await simulator.configure(account, { outage: false })
  await advanceSeconds(75)

  const { body } = await workspace.get(`/payments/${authorized.id}`)
  expect(body.status).toBe('cancelled')
  expect(await ledger.fetchTotals(authorized.id)).toMatchObject({ captured: 0, voided: 1299 })
})

test('a partial capture stays captured when the rest is voided', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, approvedCard, { capture_method: 'manual' })
  await workspace.post(`/payments/${authorized.id}/capture`, { amount: 300, final: false })
  const { body } = await workspace.post(`/payments/${authorized.id}/cancel`)

  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 300, amount_capturable: 0 })
  await ledger.expectMatch(body)
})
