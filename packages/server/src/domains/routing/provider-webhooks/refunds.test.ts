// Refunds made directly at the provider. Each becomes a refund in Switchyard or a conflict, and refunds never
// exceed the captured amount.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const provider = createWebhookSender(simulator, switchyard)

async function pay(workspace: Workspace) {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token })).body
}

const referenceOf = (paymentId: string) => `${paymentId.slice(-26)}-1`

/** Makes a refund in the dashboard of the provider. */
async function refundAtProvider(payment: { id: string; provider_account_id: string }, amount: number) {
  const url = `${simulator.url}/control/${payment.provider_account_id}/refunds`
  const body = JSON.stringify({ parent_reference: referenceOf(payment.id), amount })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  await ledger.flush(payment.provider_account_id)
  await switchyard.settle()
}

const refundsOf = async ({ get }: Workspace, id: string) => (await get(`/refunds?payment_id=${id}`)).body.data

test('a refund made at the provider is recorded with the usual events and reduces the refundable amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await refundAtProvider(payment, 500)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_refunded: 500, amount_refunding: 0, review: null })
  await ledger.expectMatch(body)
  const [refund, ...others] = await refundsOf(workspace, payment.id)
  expect(others).toEqual([])
  expect(refund).toMatchObject({ source: 'provider', status: 'succeeded', amount: 500, reason: 'other' })
  expect(await eventTypesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.succeeded'])
  expect((await workspace.post('/refunds', { payment_id: payment.id, amount: 800 })).status).toBe(400)
  expect((await workspace.post('/refunds', { payment_id: payment.id })).body).toMatchObject({ amount: 799 })
})

test('a refund that is reported twice, or that Switchyard requested, is recorded only once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const { body: requestedRefund } = await workspace.post('/refunds', { payment_id: payment.id, amount: 100 })
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const reported = { kind: 'refund', status: 'succeeded', amount: 200, currency: 'eur' }
  const parent = { parent_reference: referenceOf(payment.id) }
  const providerRefund = { ...reported, ...parent, reference: 'theirs-1', provider_reference: 're_1' }
  const ownRefund = {
    ...reported,
    ...parent,
    reference: operations.data[1].reference,
    provider_reference: 're_2',
  }
  for (const operation of [providerRefund, providerRefund, ownRefund])
    await provider.send(payment.provider_account_id, operation, 'refund.created')
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ amount_refunded: 300, review: null })
  const amounts = (await refundsOf(workspace, payment.id)).map((refund: { amount: number }) => refund.amount)
  expect([requestedRefund.amount, ...amounts]).toEqual([100, 200, 100])
})

test('our own pending refund that the provider reports without our reference is not recorded a second time', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const account = payment.provider_account_id
  await simulator.configure(account, { webhooks: 'off' })
  const reference = `${payment.id.slice(-26)}-2`
  await simulator.configure(account, { latency_ms: 600_000 })
  const requested = workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  await expect.poll(async () => (await simulator.listCalls(account)).at(-1)?.path).toContain(reference)
  // As if the provider had acknowledged the refund, and its final response had been lost.
  const acknowledge =
    "update operations set status = 'pending', provider_reference = 're_own' where reference = $1"
  await asOwner(switchyard.databaseUrl, (client) => client.query(acknowledge, [reference]))

  const reported = { kind: 'refund', status: 'succeeded', amount: 500, currency: 'eur' }
  const parent_reference = referenceOf(payment.id)
  const event = { ...reported, parent_reference, reference: 'theirs-1', provider_reference: 're_own' }
  for (const _ of [1, 2]) await provider.send(account, event, 'refund.created')
  await switchyard.settle()
  await ledger.advance(600_000)
  await requested

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ amount_refunded: 500, amount_refunding: 0, review: null })
  expect(await refundsOf(workspace, payment.id)).toMatchObject([
    { source: 'api', status: 'succeeded', amount: 500 },
  ])
})

/** A refund that the provider reports without our reference. */
const reportOf = (parentReference: string, members: object) => ({
  kind: 'refund',
  status: 'succeeded',
  currency: 'eur',
  parent_reference: parentReference,
  reference: 'theirs-1',
  ...members,
})

test('a report of the provider that one of our failed refunds was made is a conflict', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace, cardNumberForScenario('6004'))
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  await workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const { provider_reference } = operations.data[1]

  const report = reportOf(referenceOf(payment.id), { amount: 500, provider_reference })
  await provider.send(payment.provider_account_id, report, 'refund.created')
  await switchyard.settle()

  expect(provider_reference).toEqual(expect.any(String))
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ amount_refunded: 0, review: 'conflict' })
})

test('the refund of a charge at another account that is recorded as failed does not reduce the refundable amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace, cardNumberForScenario('3004'))
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const failed = operations.data.find(({ status }: { status: string }) => status !== 'succeeded')

  const report = reportOf(failed.reference, { amount: 1299, provider_reference: 're_elsewhere' })
  await provider.send(failed.provider_account_id, report, 'refund.created')
  await switchyard.settle()

  expect(failed.provider_account_id).not.toBe(payment.provider_account_id)
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, amount_refunded: 0, review: null })
})

test('a reported refund that exceeds the refundable amount, or has another currency, is a conflict and changes nothing', async () => {
  for (const [mismatch, reason] of [
    [{ amount: 1300 }, 'which exceeds the captured amount that is not refunded yet.'],
    [{ currency: 'usd' }, 'but the payment is in eur.'],
  ] as const) {
    const workspace = await switchyard.newWorkspace()
    const payment = await pay(workspace)
    const operation = {
      reference: 'theirs-1',
      kind: 'refund',
      status: 'succeeded',
      amount: 100,
      currency: 'eur',
      provider_reference: 're_1',
      parent_reference: referenceOf(payment.id),
      ...mismatch,
    }
    for (const _ of [1, 2]) await provider.send(payment.provider_account_id, operation, 'refund.created')
    await switchyard.settle()

    const { body } = await workspace.get(`/payments/${payment.id}`)
    expect(body).toMatchObject({ status: 'succeeded', amount_refunded: 0, review: 'conflict' })
    expect(await refundsOf(workspace, payment.id)).toEqual([])
    const types = await eventTypesOf(workspace, payment.id)
    expect(types.slice(2)).toEqual(['payment.conflict_detected'])
    const details = 'select detail from conflicts where payment_id = $1'
    const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
      client.query(details, [uuidOf(payment.id)]),
    )
    expect(rows).toEqual([{ detail: expect.stringContaining(reason) }])
  }
})

test('a refund request returns the refund even if a webhook arrives before the response', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const account = payment.provider_account_id
  const responseDelayMs = 600_000
  await simulator.configure(account, { latency_ms: responseDelayMs, webhooks: 'off' })
  const before = (await simulator.listCalls(account)).length
  const pendingRequest = workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  await expect.poll(async () => (await simulator.listCalls(account)).length).toBeGreaterThan(before)

  const reported = { kind: 'refund', status: 'succeeded', amount: 500, currency: 'eur' }
  const reference = `${payment.id.slice(-26)}-2`
  await provider.send(account, { ...reported, reference, provider_reference: 're_1' }, 'operation.updated')
  await switchyard.settle()
  await ledger.advance(responseDelayMs)

  expect(await pendingRequest).toMatchObject({
    status: 201,
    body: { object: 'refund', status: 'succeeded', amount: 500 },
  })
})
