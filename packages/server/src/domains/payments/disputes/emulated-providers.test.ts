// Disputes at the emulators of real providers, in the format of their webhooks.

import { expect, test } from 'vitest'
import {
  createCardToken,
  createEmulatedAccount,
  type EmulatedAccount,
} from '../../../../test/support/emulated-accounts.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function pay(account: EmulatedAccount): Promise<string> {
  const card = { number: '4242424242424242', scenario: 'approve' }
  const token = await createCardToken(account, card)
  const { body } = await account.workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  expect(body.status).toBe('succeeded')
  return body.id
}

/** Opens a dispute at the provider, or changes it, and processes the webhooks. */
async function disputeAt({ id }: EmulatedAccount, method: 'POST' | 'PUT', members: object): Promise<string> {
  // The webhooks of some providers have timestamps in whole seconds.
  await ledger.advance(1_000)
  const body = JSON.stringify(members)
  const response = await fetch(`${simulator.url}/control/${id}/disputes`, { method, body })
  expect(response.status).toBe(200)
  await ledger.flush(id)
  await switchyard.settle()
  return ((await response.json()) as { id: string }).id
}

const disputeOf = async ({ get }: Pick<Workspace, 'get'>, paymentId: string) =>
  (await get(`/disputes?payment_id=${paymentId}`)).body.data[0]
const parentOf = (paymentId: string) => ({ parent_reference: `${paymentId.slice(-26)}-1` })

test.each(['stripe', 'adyen'])(
  'each change of a dispute at %s is recorded: won, contested and lost',
  async (provider) => {
    const workspace = await switchyard.newWorkspace()
    const account = await createEmulatedAccount(workspace, provider)
    const payment = await pay(account)
    const deadline = { respond_by_at: '2026-11-28T23:59:59.000Z' }
    const id = await disputeAt(account, 'POST', { ...parentOf(payment), ...deadline })
    const dispute = await disputeOf(workspace, payment)
    expect(dispute).toMatchObject({
      stage: 'chargeback',
      status: 'needs_response',
      amount: 1299,
      amount_held: 1299,
      // Adyen reports no fees.
      fee: provider === 'stripe' ? { amount: 1500, currency: 'eur' } : null,
      reason: 'fraudulent',
      network_reason_code: '10.4',
      ...deadline,
    })
    expect((await workspace.post('/refunds', { payment_id: payment })).body.code).toBe('payment_disputed')

    await disputeAt(account, 'PUT', { id, status: 'under_review' })
    expect(await disputeOf(workspace, payment)).toMatchObject({ status: 'under_review', amount_held: 1299 })
    await disputeAt(account, 'PUT', { id, status: 'won' })
    expect(await disputeOf(workspace, payment)).toMatchObject({ status: 'won', amount_held: 0 })
    await disputeAt(account, 'PUT', { id, stage: 'pre_arbitration', status: 'needs_response' })
    expect(await disputeOf(workspace, payment)).toMatchObject({
      stage: 'pre_arbitration',
      status: 'needs_response',
    })
    await disputeAt(account, 'PUT', { id, status: 'lost' })
    expect(await disputeOf(workspace, payment)).toMatchObject({ status: 'lost', amount_held: 0 })

    const types = await eventTypesOf(workspace, dispute.id)
    expect(types.filter((type: string) => type !== 'dispute.updated')).toEqual([
      'dispute.created',
      'dispute.submitted',
      'dispute.won',
      'dispute.lost',
    ])
    expect((await workspace.get(`/payments/${payment}`)).body.review).toBe(null)
    expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
  },
)

test.each(['stripe', 'adyen'])(
  'an inquiry at %s holds nothing, and a chargeback can be lost',
  async (provider) => {
    const workspace = await switchyard.newWorkspace()
    const account = await createEmulatedAccount(workspace, provider)
    const [inquired, lost] = [await pay(account), await pay(account)]
    await disputeAt(account, 'POST', { ...parentOf(inquired), stage: 'inquiry' })
    const id = await disputeAt(account, 'POST', {
      ...parentOf(lost),
      reason: 'not_received',
      network_reason_code: '13.1',
    })
    await disputeAt(account, 'PUT', { id, status: 'lost' })

    expect(await disputeOf(workspace, inquired)).toMatchObject({
      stage: 'inquiry',
      status: 'needs_response',
      amount_held: 0,
    })
    expect(await disputeOf(workspace, lost)).toMatchObject({ status: 'lost', reason: 'not_received' })
    expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
  },
)

async function openAt(provider: string, members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const account = await createEmulatedAccount(workspace, provider)
  const payment = await pay(account)
  const reference = await disputeAt(account, 'POST', { ...parentOf(payment), ...members })
  const path = `/disputes/${(await disputeOf(workspace, payment)).id}`
  return { workspace, account, payment, reference, path }
}

test('evidence is submitted to stripe, and a lost response is looked up', async () => {
  const { workspace, account, path } = await openAt('stripe')
  await workspace.put(path, { evidence: { explanation: 'Delivered.', customer_email: 'ada@example.com' } })
  await simulator.cutNextResponse(account.id, 20)

  expect((await workspace.post(`${path}/submit`)).body).toMatchObject({ status: 'submitting' })
  const calls = async () =>
    (await simulator.listCalls(account.id)).filter(({ path: called }) => called.includes('/disputes/'))
  expect(await calls()).toHaveLength(1)
  switchyard.clock.advance({ seconds: 2 })
  await switchyard.settle()
  expect((await workspace.get(path)).body).toMatchObject({ status: 'under_review', response_error: null })
  expect((await calls()).map(({ method }) => method)).toEqual(['POST', 'GET'])
})

test('a dispute at stripe is accepted, and a refused response is explained', async () => {
  const [accepted, late] = [
    await openAt('stripe'),
    await openAt('stripe', { respond_by_at: '2020-01-01T00:00:00Z' }),
  ]

  expect((await accepted.workspace.post(`${accepted.path}/accept`)).body).toMatchObject({ status: 'lost' })
  expect((await late.workspace.post(`${late.path}/accept`)).body).toMatchObject({
    status: 'needs_response',
    response_error: { code: 'provider_request_invalid', message: expect.stringContaining('no longer') },
  })
  for (const { workspace } of [accepted, late])
    expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test('a check reads a dispute at stripe', async () => {
  const { workspace, account, reference, path } = await openAt('stripe')
  await simulator.configure(account.id, { webhooks: 'off' })
  await disputeAt(account, 'PUT', { id: reference, status: 'won' })

  expect((await workspace.post(`${path}/check`)).body).toMatchObject({ status: 'won', amount_held: 0 })
})
