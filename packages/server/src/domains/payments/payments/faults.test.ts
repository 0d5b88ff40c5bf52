// One test for each provider fault: a late response, no response, an error after charging, a webhook before
// the response, a duplicate webhook, a forged webhook, a wrong amount. Each checks the summary, the status
// and the ledger.

import { expect, test, vi } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

// Every call to a provider that does not respond takes the full timeout.
vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const environment = { SIMULATOR_URL: simulator.url }

/** Provider calls time out after three seconds instead of a minute. */
const switchyard = await switchyardForThisFile({
  environment,
  overrides: { limits: { providerMs: 3_000, requestMs: 30_000 } },
})
/** Provider calls have a long timeout, but API responses are sent after 300 ms at the latest. */
const shortRequests = await switchyardForThisFile({
  environment,
  overrides: { limits: { providerMs: 30_000, requestMs: 300 } },
})

const approvedCard = '4242424242424242'

async function pay({ post, get }: Workspace, number: string) {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { status, body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  expect([201, 402], JSON.stringify(body)).toContain(status)
  return (await get(`/payments/${body.resource_id ?? body.id}`)).body
}

const eventTypesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

/** Advances the clock and runs the resolver. */
async function advance(duration: { seconds?: number; minutes?: number; days?: number }): Promise<void> {
  switchyard.clock.advance(duration)
  await switchyard.settle()
}

/** Expects that the outcome is unknown. */
function expectUnknown(payment: { summary: string }, last4: string): void {
  expect(payment).toMatchObject({
    status: 'processing',
    attempts_count: 1,
    amount_captured: 0,
    summary: `Outcome unknown: checking with the provider whether €12.99 was charged to Visa •••• ${last4}. No other provider is tried in the meantime.`,
  })
}

/** Expects that the payment succeeded and was charged once. */
async function expectChargedOnce({ get }: Workspace, id: string, last4: string): Promise<void> {
  const { body } = await get(`/payments/${id}`)
  expect(body).toMatchObject({
    status: 'succeeded',
    attempts_count: 1,
    amount_captured: 1299,
    unresolved_since_at: null,
    review: null,
    summary: `€12.99 charged to Visa •••• ${last4}.`,
  })
  expect(await ledger.fetchTotals(id)).toMatchObject({ approvals: 1, captured: 1299, refunded: 0 })
}

test('if the response arrives after the timeout, a check finds the charge, and the payer is charged once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5011'))
  expectUnknown(payment, '0008')
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 1 })

  // The provider responds now, but the connection is already closed.
  await ledger.advance(20_000)
  await advance({ seconds: 3 })

  await expectChargedOnce(workspace, payment.id, '0008')
})

test('a provider response that arrives after the API response is recorded without a lookup', async () => {
  const workspace = await shortRequests.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5011'))
  expect(payment).toMatchObject({
    status: 'processing',
    unresolved_since_at: null,
    summary: 'Authorizing €12.99 on Visa •••• 0008.',
  })

  await ledger.advance(20_000)
  await expect
    .poll(async () => (await workspace.get(`/payments/${payment.id}`)).body.status, { timeout: 10_000 })
    .toBe('succeeded')

  await expectChargedOnce(workspace, payment.id, '0008')
  const calls = await simulator.listCalls(payment.provider_account_id)
  expect(calls.filter(({ path }) => path.includes('/operations/'))).toHaveLength(1)
})

test('a provider that does not respond is checked for a week, then the payment needs review, without a failover', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, approvedCard)
  await simulator.configure(account, { outage: true, outage_manner: 'silence' })
  const payment = await pay(workspace, approvedCard)
  expectUnknown(payment, '4242')

  await advance({ seconds: 3 })
  await advance({ minutes: 15 })
  expectUnknown((await workspace.get(`/payments/${payment.id}`)).body, '4242')
  await advance({ days: 8 })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'processing',
    review: 'needs_review',
    attempts_count: 1,
    amount_captured: 0,
    summary:
      'Outcome unknown: the provider does not report whether €12.99 was charged to Visa •••• 4242. An admin must confirm what happened.',
  })
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 0, captured: 0 })
})

test('after a 500 response to a charge that succeeded, the payer is charged once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5003'))
  expectUnknown(payment, '0008')
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 1 })

  await advance({ seconds: 3 })

  await expectChargedOnce(workspace, payment.id, '0008')
})

test('a webhook before the response leads to one success event', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5012'))
  await ledger.flush(payment.provider_account_id)
  await switchyard.settle()

  await expectChargedOnce(workspace, payment.id, '0007')
  expect(await eventTypesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
})

test('a duplicate webhook for an unresolved payment leads to one success event', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, approvedCard)
  await simulator.configure(account, { webhooks: 'twice' })
  const payment = await pay(workspace, cardNumberForScenario('5016'))
  expect(payment.summary).toBe('Authorizing €12.99 on Visa •••• 0003.')

  await ledger.advance(5_000)
  await ledger.flush(account)
  await switchyard.settle()

  await expectChargedOnce(workspace, payment.id, '0003')
  expect(await eventTypesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
})

test('a forged webhook is ignored, and a lookup shows that nothing was charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5020'))
  await ledger.flush(payment.provider_account_id)
  await switchyard.settle()
  expectUnknown((await workspace.get(`/payments/${payment.id}`)).body, '0007')

  await advance({ seconds: 3 })
  // The second account behaves the same way with this card, so it is checked as well.
  await advance({ seconds: 75 })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'failed',
    amount_captured: 0,
    failure: { code: 'do_not_honor' },
    summary:
      'Payment failed after 2 attempts: do not honor. Your bank declined this payment. Use another card.',
  })
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 0, captured: 0 })
})

test('a payment that was charged with a different amount needs review', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5014'))
  await advance({ minutes: 15 })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'processing',
    review: 'needs_review',
    attempts_count: 1,
    amount_captured: 0,
    summary: "The provider's report contradicts the request. An admin must confirm what happened.",
  })
  expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 1, captured: 1298 })
  expect(await eventTypesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.needs_review'])
})
