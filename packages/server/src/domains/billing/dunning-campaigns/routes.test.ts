// Dunning of unpaid renewals: retries and final actions according to the dunning policy.

import { expect, test, vi } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { createAttachedMethod, createMethod } from '../../../../test/support/payment-methods.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { workTypes } from '../../../work-types.ts'
import { dunInvoices } from './work.ts'

// Many tests in this file advance time by a month.
vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, eventTypesOf, configureAll } = switchyard

/**
 * A subscription whose payments have the outcomes in the script. Its first payment succeeded, and its renewal
 * has just been charged.
 */
async function aRenewal(script: string, members: object = {}, workToRun: typeof workTypes = workTypes) {
  const workspace = await switchyard.newWorkspace()
  const { customerId, paymentMethodId } = await aPayer(workspace)
  const metadata = { simulate: script }
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata })
  const { id } = await aSubscription(workspace, { customer_id: customerId, ...members })
  await settle()
  clock.advance({ days: 31 })
  await runAllDueWork(switchyard.deps, workToRun)
  return { ...workspace, ...readersOf(workspace, id), workspace, id, customerId }
}

function readersOf({ get }: Workspace, id: string) {
  return {
    subscription: async () => (await get(`/subscriptions/${id}`)).body,
    campaign: async () => (await get(`/dunning-campaigns?subscription_id=${id}`)).body.data[0],
    invoice: async () => (await get(`/invoices?subscription_id=${id}`)).body.data[0],
  }
}

function nowMs(): number {
  const reading = clock.read()
  return reading.from === 'database' ? Date.now() : reading.at.getTime()
}

async function advanceDays(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    clock.advance({ days: 1 })
    await settle()
  }
}

test('a failed renewal starts a campaign, and access continues while it runs', async () => {
  const { subscription, campaign, invoice, workspace } = await aRenewal('approve, decline:51')
  const running = await campaign()
  expect(running).toMatchObject({
    object: 'dunning_campaign',
    status: 'running',
    invoice_id: (await invoice()).id,
    policy: { dunning_policy_id: null, retry_days: [1, 3, 6, 10, 15, 21, 27] },
    waits_for: null,
  })
  expect(running.steps).toHaveLength(7)
  expect(running.next_attempt_at).toBe((await invoice()).next_attempt_at)
  expect(await subscription()).toMatchObject({
    status: 'active',
    collection: {
      status: 'past_due',
      campaign_id: running.id,
      final_action: 'pause',
      final_action_at: running.ends_at,
    },
    access: { granted: true, reason: 'grace', until_at: running.ends_at },
  })
  expect(await eventTypesOf(workspace, running.id)).toEqual(['dunning_campaign.started'])
})

test('each attempt is recorded, and a successful one ends the campaign', async () => {
  const { subscription, campaign, invoice, workspace } = await aRenewal('approve, decline:51 x3, approve')
  await advanceDays(15)
  const ended = await campaign()
  expect(ended).toMatchObject({ status: 'recovered', next_attempt_at: null })
  const attempted = ended.steps.filter((step: { attempted_at: string | null }) => step.attempted_at !== null)
  expect(attempted).toMatchObject([{ code: 'insufficient_funds' }, { code: 'insufficient_funds' }])
  for (const { payment_id } of attempted) expect(payment_id).toMatch(/^payment_test_/)
  expect(await invoice()).toMatchObject({ status: 'paid', campaign_id: null, attempt_count: 4 })
  expect(await subscription()).toMatchObject({
    status: 'active',
    collection: { status: 'current', final_action: null },
    access: { granted: true, reason: 'paid' },
  })
  expect(await eventTypesOf(workspace, ended.id)).toEqual([
    'dunning_campaign.started',
    'dunning_campaign.step_failed',
    'dunning_campaign.step_failed',
    'dunning_campaign.recovered',
  ])
})

test('if every retry fails the subscription is paused, and paying resumes it', async () => {
  const { subscription, campaign, invoice, customerId, workspace } = await aRenewal('approve, decline:51')
  await advanceDays(29)
  expect(await campaign()).toMatchObject({ status: 'exhausted', waits_for: null })
  expect(await invoice()).toMatchObject({ status: 'open', next_attempt_at: null, campaign_id: null })
  expect(await subscription()).toMatchObject({ status: 'paused', pause: { reason: 'payment_failure' } })
  const payment_method_id = await createAttachedMethod(workspace, customerId)
  await workspace.post(`/invoices/${(await invoice()).id}/pay`, { payment_method_id })
  await switchyard.waitForPaymentEnd(workspace, (await invoice()).id)
  await settle()
  expect(await subscription()).toMatchObject({ status: 'active', collection: { status: 'current' } })
})

test('a lost card is not charged again, and a new card is charged immediately', async () => {
  const { subscription, campaign, invoice, workspace, customerId, put, id } =
    await aRenewal('approve, decline:41')
  expect(await campaign()).toMatchObject({ waits_for: 'new_card', next_attempt_at: null })
  await advanceDays(8)
  expect(await invoice()).toMatchObject({ attempt_count: 1, next_attempt_at: null })
  // Another card: the card network does not allow further attempts with the first.
  const { body: other } = await createMethod(workspace, '5555555555554444')
  await workspace.post(`/payment-methods/${other.id}/attach`, { customer_id: customerId })
  await put(`/subscriptions/${id}`, { payment_method_id: other.id })
  await settle()
  expect(await invoice()).toMatchObject({ status: 'paid', attempt_count: 2 })
  expect(await campaign()).toMatchObject({ status: 'recovered' })
  expect(await subscription()).toMatchObject({ collection: { status: 'current' } })
})

test.each([
  ['cancel', 'uncollectible', { status: 'cancelled' }, 'uncollectible'],
  ['mark_unpaid', 'leave_open', { status: 'active', collection: { status: 'unpaid' } }, 'open'],
  ['keep', 'void', { status: 'active', collection: { status: 'current' } }, 'void'],
] as const)(
  'when every retry has failed, the final actions %s (subscription) and %s (invoice) are applied',
  async (subscriptionAction, invoiceAction, expectedSubscription, expectedInvoice) => {
    const workspace = await switchyard.newWorkspace()
    const { customerId: customer_id, paymentMethodId } = await aPayer(workspace)
    const metadata = { simulate: 'approve, decline:51' }
    await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata })
    const { body: policy } = await workspace.post('/dunning-policies', {
      name: 'Short',
      retry_days: [2, 4],
      grace: 'none',
      final: { subscription: subscriptionAction, invoice: invoiceAction },
    })
    const { id } = await aSubscription(workspace, { customer_id, dunning_policy_id: policy.id })
    const { subscription, campaign, invoice } = readersOf(workspace, id)
    await settle()
    clock.advance({ days: 31 })
    await settle()
    expect((await subscription()).access).toMatchObject({ granted: false, reason: 'unpaid' })
    // Changes to the policy apply only to campaigns that start later.
    await workspace.put(`/dunning-policies/${policy.id}`, { retry_days: [20] })
    await advanceDays(7)
    expect(await campaign()).toMatchObject({ status: 'exhausted', policy: { retry_days: [2, 4] } })
    expect(await subscription()).toMatchObject(expectedSubscription)
    expect(await invoice()).toMatchObject({ status: expectedInvoice })
  },
)

test('a campaign does not end while the outcome of a payment is unknown', async () => {
  const { subscription, campaign, workspace, post } = await aRenewal('approve, decline:51')
  const path = `/dunning-campaigns/${(await campaign()).id}`
  const readCampaign = async () => (await workspace.get(path)).body
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  clock.advance({ days: 26 })
  await settle()
  // The last attempt is in progress and the end is due; the provider does not respond.
  const { ends_at, invoice_id } = await readCampaign()
  clock.advance({ seconds: (Date.parse(ends_at) - nowMs()) / 1000 + 60 })
  await settle()
  expect(await readCampaign()).toMatchObject({ status: 'running' })
  expect(await subscription()).toMatchObject({ status: 'active', collection: { status: 'past_due' } })
  // After a week a person checks the dashboard of the provider, and resolves the operation.
  clock.advance({ days: 8 })
  await settle()
  const [payment] = (await workspace.get('/payments?limit=9')).body.data.filter(
    (payment: { invoice_id: string }) => payment.invoice_id === invoice_id,
  )
  expect(payment).toMatchObject({ status: 'processing', review: 'needs_review' })
  const [operation] = (await workspace.get(`/payments/${payment.id}/operations`)).body.data
  const resolution = { outcome: 'succeeded', provider_reference: 'theirs-1', note: 'Captured.' }
  await post(`/payments/${payment.id}/operations/${operation.id}/resolve`, resolution)
  await settle()
  expect(await readCampaign()).toMatchObject({ status: 'recovered' })
})

test('a stopped campaign makes no attempts, and the invoice stays owed', async () => {
  const { subscription, campaign, invoice, post, id } = await aRenewal('approve, decline:51')
  const path = `/dunning-campaigns/${(await campaign()).id}`
  const stopped = await post(`${path}/stop`)
  expect(stopped.body).toMatchObject({ status: 'stopped', next_attempt_at: null })
  expect((await post(`${path}/stop`)).body).toEqual(stopped.body)
  expect(await post(`${path}/retry`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'stopped', allowed_actions: [] },
  })
  await advanceDays(5)
  expect(await invoice()).toMatchObject({ status: 'open', attempt_count: 1 })
  expect(await subscription()).toMatchObject({ id, collection: { status: 'unpaid', final_action: null } })
})

test.each([
  ['a past-due', []],
  ['a paused', ['pause']],
])('cancelling %s subscription stops its campaign, and the invoice can still be paid', async (_, before) => {
  const { subscription, campaign, invoice, post, put, id, customerId, workspace } =
    await aRenewal('approve, decline:51')
  for (const action of [...before, 'cancel']) {
    const { status } = await put(`/subscriptions/${id}/${action}`, { at: 'now', open_invoices: 'stop' })
    expect(status).toBe(200)
    await settle()
  }

  expect(await campaign()).toMatchObject({ status: 'stopped', next_attempt_at: null })
  expect(await eventTypesOf(workspace, (await campaign()).id)).toEqual([
    'dunning_campaign.started',
    'dunning_campaign.stopped',
  ])
  await advanceDays(30)
  expect(await invoice()).toMatchObject({ status: 'open', attempt_count: 1, campaign_id: null })
  const payment_method_id = await createAttachedMethod(workspace, customerId)
  await post(`/invoices/${(await invoice()).id}/pay`, { payment_method_id })
  await switchyard.waitForPaymentEnd(workspace, (await invoice()).id)
  await settle()
  expect(await invoice()).toMatchObject({ status: 'paid' })
  expect(await subscription()).toMatchObject({ status: 'cancelled' })
})

test('a manual retry replaces the next scheduled retry', async () => {
  const { campaign, post } = await aRenewal('approve, decline:51 x2, approve')
  const { id, steps } = await campaign()
  await post(`/dunning-campaigns/${id}/retry`)
  await settle()
  const after = await campaign()
  expect(after.steps[0]).toMatchObject({ moved: 'requested', code: 'insufficient_funds' })
  expect(after.steps).toHaveLength(steps.length)
  expect(Date.parse(after.next_attempt_at)).toBeGreaterThan(nowMs())
})

test('an invoice that was just paid is not retried, and its campaign ends', async () => {
  const { campaign, invoice, workspace, customerId, post } = await aRenewal('approve, decline:51')
  const payment_method_id = await createAttachedMethod(workspace, customerId)
  const { id: invoiceId } = await invoice()
  await post(`/invoices/${invoiceId}/pay`, { payment_method_id })
  await switchyard.waitForPaymentEnd(workspace, invoiceId)

  const retried = await post(`/dunning-campaigns/${(await campaign()).id}/retry`)
  await settle()

  expect(retried).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'recovered' } })
  expect(await campaign()).toMatchObject({ status: 'recovered' })
})

test('a new card added before the failure is processed is charged immediately, as part of a campaign', async () => {
  const { campaign, invoice, workspace, customerId, put, id } = await aRenewal('approve, decline:51', {}, [
    ...workTypes.filter(({ name }) => name !== 'invoice.dun'),
  ])
  expect(await campaign()).toBeUndefined()
  const payment_method_id = await createAttachedMethod(workspace, customerId)
  await put(`/subscriptions/${id}`, { payment_method_id })

  await runAllDueWork(switchyard.deps, [dunInvoices])
  expect(await campaign()).toMatchObject({ status: 'running' })
  await settle()

  expect(await invoice()).toMatchObject({ status: 'paid', attempt_count: 2 })
  expect(await campaign()).toMatchObject({ status: 'recovered' })
})

test('stopping campaigns and subscriptions concurrently does not deadlock', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, post, put } = workspace
  for (let round = 0; round < 5; round += 1) {
    const id = await workspace.aCampaign()
    const { body: campaign } = await get(`/dunning-campaigns/${id}`)
    const responses = await Promise.all([
      post(`/dunning-campaigns/${id}/stop`),
      put(`/subscriptions/${campaign.subscription_id}/cancel`, {}),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
  }
  // PostgreSQL aborts one of the deadlocked transactions, which is then retried. The responses would not reveal
  // the deadlock, so read the statistics.
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    ),
  )
  expect(Number(rows[0]?.deadlocks)).toBe(0)
})

/** Simulates the first renewal of a subscription on its own test clock, and returns the failures of its payments. */
async function renewOnClock(workspace: Workspace, script: string): Promise<(string | null)[]> {
  const { body: testClock } = await workspace.post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ test_clock_id: testClock.id })
  const method = await createAttachedMethod(workspace, customer_id)
  await workspace.put(`/payment-methods/${method}`, { metadata: { simulate: script } })
  await aSubscription(workspace, { customer_id })
  const path = `/test-clocks/${testClock.id}`
  await workspace.post(`${path}/advance`, { by: 'P1M1D' })
  await expect
    .poll(async () => (await workspace.get(path)).body.status, { timeout: 20_000 })
    .not.toBe('advancing')
  const { body: payments } = await workspace.get(`/payments?customer_id=${customer_id}`)
  return payments.data
    .filter(({ purpose }: { purpose: string }) => purpose === 'payment')
    .map(({ failure }: { failure: { code: string } | null }) => failure?.code ?? null)
    .toReversed()
}

test('a card that dunning must not retry on one test clock can be charged on other clocks and for other customers', async () => {
  const workspace = await switchyard.newWorkspace()

  // After this decline the card networks forbid any further attempt with the card.
  expect(await renewOnClock(workspace, 'approve, decline:43')).toEqual([null, 'stolen_card'])

  expect((await workspace.get('/dunning-campaigns')).body.data).toMatchObject([{ waits_for: 'new_card' }])
  expect(await renewOnClock(workspace, 'approve')).toEqual([null, null])
  const { customerId, paymentMethodId: payment_method_id } = await aPayer(workspace)
  const order = { amount: 2999, currency: 'usd', customer_id: customerId, payment_method_id }
  const { body } = await workspace.post('/payments', { ...order, initiator: 'merchant' })
  expect(body.status, JSON.stringify(body)).toBe('succeeded')
})
