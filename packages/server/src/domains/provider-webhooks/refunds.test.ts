// Refunds that somebody made at the provider, past us: they become refunds here, or a conflict, and never too much.

import { expect, test } from 'vitest'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { aToken, typesOf } from '../../../test/support/payment-methods.ts'
import { providerOf } from '../../../test/support/provider-words.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const provider = providerOf(simulator, switchyard)

async function pay(workspace: Workspace) {
  const token = await aToken(workspace)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token })).body
}

const referenceOf = (paymentId: string) => `${paymentId.slice(-26)}-1`

/** Somebody presses a button at the provider. */
async function refundThere(payment: { id: string; provider_account_id: string }, amount: number) {
  const url = `${simulator.url}/control/${payment.provider_account_id}/refunds`
  const body = JSON.stringify({ parent_reference: referenceOf(payment.id), amount })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  await ledger.flush(payment.provider_account_id)
  await switchyard.settle()
}

const refundsOf = async ({ get }: Workspace, id: string) => (await get(`/refunds?payment_id=${id}`)).body.data

test('a refund that was made at the provider is one here, told as any, and only the rest can be given back', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  await refundThere(payment, 500)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_refunded: 500, amount_refunding: 0, review: null })
  await ledger.agreesWith(body)
  const [refund, ...others] = await refundsOf(workspace, payment.id)
  expect(others).toEqual([])
  expect(refund).toMatchObject({ source: 'provider', status: 'succeeded', amount: 500, reason: 'other' })
  expect(await typesOf(workspace, refund.id)).toEqual(['refund.created', 'refund.succeeded'])
  expect((await workspace.post('/refunds', { payment_id: payment.id, amount: 800 })).status).toBe(400)
  expect((await workspace.post('/refunds', { payment_id: payment.id })).body).toMatchObject({ amount: 799 })
})

test('one that is told twice, or that we asked for ourselves, is no second one', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const { body: ours } = await workspace.post('/refunds', { payment_id: payment.id, amount: 100 })
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const told = { kind: 'refund', status: 'succeeded', amount: 200, currency: 'eur' }
  const about = { parent_reference: referenceOf(payment.id) }
  const theirs = { ...told, ...about, reference: 'theirs-1', provider_reference: 're_1' }
  const known = { ...told, ...about, reference: operations.data[1].reference, provider_reference: 're_2' }
  for (const operation of [theirs, theirs, known])
    await provider.tell(payment.provider_account_id, operation, 'refund.created')
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ amount_refunded: 300, review: null })
  const amounts = (await refundsOf(workspace, payment.id)).map((one: { amount: number }) => one.amount)
  expect([ours.amount, ...amounts]).toEqual([100, 200, 100])
})

test('one that gives back more than is left, or other money, is a conflict: told once, and nothing is changed', async () => {
  for (const wrong of [{ amount: 1300 }, { currency: 'usd' }]) {
    const workspace = await switchyard.newWorkspace()
    const payment = await pay(workspace)
    const operation = {
      ...{ reference: 'theirs-1', kind: 'refund', status: 'succeeded', amount: 100, currency: 'eur' },
      ...{ provider_reference: 're_1', parent_reference: referenceOf(payment.id), ...wrong },
    }
    for (const _ of [1, 2]) await provider.tell(payment.provider_account_id, operation, 'refund.created')
    await switchyard.settle()

    const { body } = await workspace.get(`/payments/${payment.id}`)
    expect(body).toMatchObject({ status: 'succeeded', amount_refunded: 0, review: 'conflict' })
    expect(await refundsOf(workspace, payment.id)).toEqual([])
    const types = await typesOf(workspace, payment.id)
    expect(types.slice(2)).toEqual(['payment.conflict_detected'])
  }
})

test('a refund whose outcome the provider tells before it answers is answered all the same', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const account = payment.provider_account_id
  const thinkingMs = 600_000
  await simulator.configure(account, { latency_ms: thinkingMs, webhooks: 'off' })
  const before = (await simulator.callsOf(account)).length
  const asking = workspace.post('/refunds', { payment_id: payment.id, amount: 500 })
  await expect.poll(async () => (await simulator.callsOf(account)).length).toBeGreaterThan(before)

  const told = { kind: 'refund', status: 'succeeded', amount: 500, currency: 'eur' }
  const reference = `${payment.id.slice(-26)}-2`
  await provider.tell(account, { ...told, reference, provider_reference: 're_1' }, 'operation.updated')
  await switchyard.settle()
  await ledger.advance(thinkingMs)

  expect(await asking).toMatchObject({
    status: 201,
    body: { object: 'refund', status: 'succeeded', amount: 500 },
  })
})
