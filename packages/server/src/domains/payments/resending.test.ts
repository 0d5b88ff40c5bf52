// Captures and refunds that reached nobody go again, as operations of their own and on a schedule with an end.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { aToken, impatient, typesOf } from '../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { resendWait, resendWaits } from './resending.ts'

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: impatient,
})

async function pay(workspace: Workspace, members: object = {}, number = '4242424242424242') {
  const token = await aToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

async function letPass(duration: { seconds?: number; days?: number }): Promise<void> {
  switchyard.clock.advance(duration)
  await switchyard.settle()
}

const operationsOf = async ({ get }: Workspace, id: string, kind: string) =>
  (await get(`/payments/${id}/operations`)).body.data.filter((one: { kind: string }) => one.kind === kind)

test('a capture that is put away goes again after a minute, under another reference, and is taken once', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, { capture_method: 'manual' })
  await simulator.configure(held.provider_account_id, { outage: true })
  const { body: refused } = await workspace.post(`/payments/${held.id}/capture`, { amount: 1000 })
  expect(refused).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 1299,
    last_error: { code: 'provider_error', class: 'technical' },
  })
  const [first] = await operationsOf(workspace, held.id, 'capture')
  expect(first).toMatchObject({ status: 'rejected', resend_at: '2026-11-14T12:01:00.000Z' })

  await simulator.configure(held.provider_account_id, { outage: false })
  await letPass({ seconds: 59 })
  expect(await operationsOf(workspace, held.id, 'capture')).toHaveLength(1)
  await letPass({ seconds: 1 })

  const { body } = await workspace.get(`/payments/${held.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1000, last_error: null })
  const captures = await operationsOf(workspace, held.id, 'capture')
  expect(captures).toMatchObject([
    { status: 'rejected', resend_at: null, resends: 0 },
    { status: 'succeeded', resend_at: null, resends: 1, amount: 1000 },
  ])
  expect(captures[0].reference).not.toBe(captures[1].reference)
  await ledger.agreesWith(body)
})

test('a capture that is asked for meanwhile takes the place of the repeat', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, { capture_method: 'manual' })
  await simulator.configure(held.provider_account_id, { outage: true })
  await workspace.post(`/payments/${held.id}/capture`, { amount: 300, final: false })
  await simulator.configure(held.provider_account_id, { outage: false })
  await workspace.post(`/payments/${held.id}/capture`, { amount: 200, final: false })
  await letPass({ seconds: 61 })

  const { body } = await workspace.get(`/payments/${held.id}`)
  expect(body).toMatchObject({ status: 'requires_capture', amount_captured: 200, amount_capturable: 1099 })
  await ledger.agreesWith(body)
})

test('what is cancelled meanwhile is not captured any more', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await pay(workspace, { capture_method: 'manual' })
  await simulator.configure(held.provider_account_id, { outage: true })
  await workspace.post(`/payments/${held.id}/capture`)
  await simulator.configure(held.provider_account_id, { outage: false })
  expect((await workspace.post(`/payments/${held.id}/cancel`)).body.status).toBe('cancelled')
  await letPass({ seconds: 61 })

  expect((await workspace.get(`/payments/${held.id}`)).body.status).toBe('cancelled')
  expect(await operationsOf(workspace, held.id, 'capture')).toHaveLength(1)
})

test('a refund that is put away stays pending and goes again, and gives back once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await simulator.configure(payment.provider_account_id, { outage: true })
  const { status, body: refund } = await workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  expect([status, refund.status]).toEqual([201, 'pending'])
  await letPass({ seconds: 60 })
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ amount_refunding: 500 })

  await simulator.configure(payment.provider_account_id, { outage: false })
  await letPass({ seconds: 299 })
  expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('pending')
  await letPass({ seconds: 1 })

  expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('succeeded')
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ amount_refunding: 0, amount_refunded: 500 })
  expect(await typesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.succeeded'])
  await ledger.agreesWith(body)
})

test('a refund that nobody takes goes seven times more; then it has failed, and the amount can be given back anew', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await simulator.configure(payment.provider_account_id, { outage: true })
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id })
  for (const seconds of resendWaits) {
    expect((await workspace.get(`/refunds/${refund.id}`)).body.status).toBe('pending')
    await letPass({ seconds })
  }

  const { body: failed } = await workspace.get(`/refunds/${refund.id}`)
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'provider_error' } })
  expect(await operationsOf(workspace, payment.id, 'refund')).toHaveLength(8)
  await letPass({ days: 1 })
  expect(await operationsOf(workspace, payment.id, 'refund')).toHaveLength(8)
  await simulator.configure(payment.provider_account_id, { outage: false })
  const { body: anew } = await workspace.post('/refunds', { payment_id: payment.id })
  expect(anew).toMatchObject({ status: 'succeeded', amount: 1299 })
})

test('a refund that is declined has failed at once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, {}, numberOfScenario('6004'))
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id })
  expect(refund).toMatchObject({ status: 'failed', failure: { code: 'transaction_not_permitted' } })
})

test('a refund about which the provider tells nothing for a week is for a person, who ends it', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await simulator.configure(payment.provider_account_id, { outage: true, outage_manner: 'silence' })
  const { body: refund } = await workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  expect(refund).toMatchObject({ status: 'pending', unresolved_since_at: expect.any(String), review: null })
  // Three questions stand for all of a week: each takes its time.
  for (const days of [6, 1, 1]) await letPass({ days })

  const { body: reviewed } = await workspace.get(`/refunds/${refund.id}`)
  expect(reviewed).toMatchObject({ status: 'pending', review: 'needs_review' })
  expect(await typesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.needs_review'])

  const [operation] = await operationsOf(workspace, payment.id, 'refund')
  const path = `/payments/${payment.id}/operations/${operation.id}/resolve`
  const word = { outcome: 'not_processed', note: 'They have no trace of it.' }
  const { status, body } = await workspace.post(path, word)
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
] as const)('a %s that was sent %d times before goes again after %s seconds', (kind, resends, seconds) => {
  const ended = { is: 'not_sent', fault: { code: 'connect_failed', message: '' } } as const
  expect(resendWait({ kind, resends }, ended)).toBe(seconds)
})

test.each([
  [{ is: 'closed' }, true],
  [{ is: 'rejected', fault: { code: 'provider_rate_limited', message: '' } }, true],
  [{ is: 'rejected', fault: { code: 'their own word', message: '' } }, true],
  [{ is: 'rejected', fault: { code: 'provider_credentials_invalid', message: '' } }, false],
  [{ is: 'declined', decline: { code: 'issuer_unavailable' } }, true],
  [{ is: 'declined', decline: { code: 'transaction_not_permitted' } }, false],
] as const)('%j: %s', (ended, again) => {
  expect(resendWait({ kind: 'refund', resends: 0 }, ended) !== null).toBe(again)
})
