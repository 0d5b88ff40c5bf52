// Captures and refunds that the provider did not process are resent as new operations, a limited number of
// times.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { createToken, eventTypesOf, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { resendWait, resendWaits } from './rules/resend-schedule.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})

async function pay(workspace: Workspace, members: object = {}, number = '4242424242424242') {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

async function advance(duration: { seconds?: number; days?: number }): Promise<void> {
  switchyard.clock.advance(duration)
  await switchyard.settle()
}

const operationsOf = async ({ get }: Workspace, id: string, kind: string) =>
  (await get(`/payments/${id}/operations`)).body.data.filter(
    (operation: { kind: string }) => operation.kind === kind,
  )

test('a capture that is rejected during an outage is resent after a minute with a new reference, and captured once', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, { capture_method: 'manual' })
  await simulator.configure(authorized.provider_account_id, { outage: true })
  const { body: refused } = await workspace.post(`/payments/${authorized.id}/capture`, { amount: 1000 })
  expect(refused).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 1299,
    last_error: { code: 'provider_error', class: 'technical' },
  })
  const [first] = await operationsOf(workspace, authorized.id, 'capture')
  expect(first).toMatchObject({ status: 'rejected', resend_at: '2026-11-14T12:01:00.000Z' })

  await simulator.configure(authorized.provider_account_id, { outage: false })
  await advance({ seconds: 59 })
  expect(await operationsOf(workspace, authorized.id, 'capture')).toHaveLength(1)
  await advance({ seconds: 1 })

  const { body } = await workspace.get(`/payments/${authorized.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1000, last_error: null })
  const captures = await operationsOf(workspace, authorized.id, 'capture')
  expect(captures).toMatchObject([
    { status: 'rejected', resend_at: null, resends: 0 },
    { status: 'succeeded', resend_at: null, resends: 1, amount: 1000 },
  ])
  expect(captures[0].reference).not.toBe(captures[1].reference)
  await ledger.expectMatch(body)
})

test('a new capture request replaces the scheduled resend of a capture', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, { capture_method: 'manual' })
  await simulator.configure(authorized.provider_account_id, { outage: true })
  await workspace.post(`/payments/${authorized.id}/capture`, { amount: 300, final: false })
  await simulator.configure(authorized.provider_account_id, { outage: false })
  await workspace.post(`/payments/${authorized.id}/capture`, { amount: 200, final: false })
  await advance({ seconds: 61 })

  const { body } = await workspace.get(`/payments/${authorized.id}`)
  expect(body).toMatchObject({ status: 'requires_capture', amount_captured: 200, amount_capturable: 1099 })
  await ledger.expectMatch(body)
})

test('a scheduled resend of a capture is dropped if the payment is cancelled', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await pay(workspace, { capture_method: 'manual' })
  await simulator.configure(authorized.provider_account_id, { outage: true })
  await workspace.post(`/payments/${authorized.id}/capture`)
  await simulator.configure(authorized.provider_account_id, { outage: false })
  expect((await workspace.post(`/payments/${authorized.id}/cancel`)).body.status).toBe('cancelled')
  await advance({ seconds: 61 })

  expect((await workspace.get(`/payments/${authorized.id}`)).body.status).toBe('cancelled')
  expect(await operationsOf(workspace, authorized.id, 'capture')).toHaveLength(1)
})

test('a refund that is rejected during an outage stays pending, is resent, and refunds once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await simulator.configure(payment.provider_account_id, { outage: true })
  const { status, body: refund } = await workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  expect([status, refund.status]).toEqual([201, 'pending'])
  await advance({ seconds: 60 })
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ amount_refunding: 500 })

  await simulator.configure(payment.provider_account_id, { outage: false })
  await advance({ seconds: 299 })
  expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('pending')
  await advance({ seconds: 1 })

  expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('succeeded')
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ amount_refunding: 0, amount_refunded: 500 })
  expect(await eventTypesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.succeeded'])
  await ledger.expectMatch(body)
})

test('a refund is resent seven times, then it fails and the amount can be refunded again', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await simulator.configure(payment.provider_account_id, { outage: true })
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id })
  for (const seconds of resendWaits) {
    expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('pending')
    await advance({ seconds })
  }

  const { body: failed } = await workspace.get(`/refunds/${refund.id}`)
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'provider_error' } })
  expect(await operationsOf(workspace, payment.id, 'refund')).toHaveLength(8)
  await advance({ days: 1 })
  expect(await operationsOf(workspace, payment.id, 'refund')).toHaveLength(8)
  await simulator.configure(payment.provider_account_id, { outage: false })
  const { body: secondRefund } = await workspace.post('/refunds', { payment_id: payment.id })
  expect(secondRefund).toMatchObject({ status: 'succeeded', amount: 1299 })
})

test('a declined refund fails immediately', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, {}, cardNumberForScenario('6004'))
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id })
  expect(refund).toMatchObject({ status: 'failed', failure: { code: 'transaction_not_permitted' } })
})

test('a refund whose outcome is unknown for a week needs review, and can be resolved manually', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await simulator.configure(payment.provider_account_id, { outage: true, outage_manner: 'silence' })
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  expect(refund).toMatchObject({ status: 'pending', unresolved_since_at: expect.any(String), review: null })
  // Three checks represent a week of checks, because each one takes the full timeout.
  for (const days of [6, 1, 1]) await advance({ days })

  const { body: reviewed } = await workspace.get(`/refunds/${refund.id}`)
  expect(reviewed).toMatchObject({ status: 'pending', review: 'needs_review' })
  expect(await eventTypesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.needs_review'])

  const [operation] = await operationsOf(workspace, payment.id, 'refund')
  const path = `/payments/${payment.id}/operations/${operation.id}/resolve`
  const manualResult = { outcome: 'not_processed', note: 'The provider has no record of this refund.' }
  const { status, body } = await workspace.post(path, manualResult)
  expect([status, body.amount_refunding, body.amount_refunded]).toEqual([200, 0, 0])
  expect((await workspace.get(`/refunds/${refund.id}`)).body).toMatchObject({
    status: 'failed',
    review: null,
  })
})

test.each([
  ['capture', 0, 60],
  ['refund', 6, 43_200],
  ['refund', 7, null],
  ['void', 0, null],
  ['authorize', 0, null],
] as const)('seconds until a %s that was resent %d times is resent again: %s', (kind, resends, seconds) => {
  const result = { is: 'not_sent', fault: { code: 'connect_failed', message: '' } } as const
  expect(resendWait({ kind, resends }, result)).toBe(seconds)
})

test.each([
  [{ is: 'closed' }, true],
  [{ is: 'rejected', fault: { code: 'provider_rate_limited', message: '' } }, true],
  [{ is: 'rejected', fault: { code: 'unrecognized_code', message: '' } }, true],
  [{ is: 'rejected', fault: { code: 'provider_credentials_invalid', message: '' } }, true],
  [{ is: 'rejected', fault: { code: 'provider_request_invalid', message: '' } }, false],
  [{ is: 'declined', decline: { code: 'issuer_unavailable' } }, true],
  [{ is: 'declined', decline: { code: 'transaction_not_permitted' } }, false],
] as const)('a refund that ended with %j is resent: %s', (result, isResent) => {
  expect(resendWait({ kind: 'refund', resends: 0 }, result) !== null).toBe(isResent)
})
