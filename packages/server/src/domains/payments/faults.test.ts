// What providers do wrong, one test for each: late, never, with an error after charging, with a webhook before the
// answer, twice, forged, with another amount. Each ends in one sentence, one state and one line in the ledger.

import { expect, test, vi } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

// Who is silent is waited for each time that they are asked.
vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const environment = { SIMULATOR_URL: simulator.url }

/** Waits three seconds for a provider, not a minute. */
const switchyard = await switchyardForThisFile({
  environment,
  overrides: { limits: { providerMs: 3_000, requestMs: 30_000 } },
})
/** Waits for a provider for long, but answers its own caller soon. */
const hasty = await switchyardForThisFile({
  environment,
  overrides: { limits: { providerMs: 30_000, requestMs: 300 } },
})

const good = '4242424242424242'

async function pay({ post, get }: Workspace, number: string) {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { status, body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  expect([201, 402], JSON.stringify(body)).toContain(status)
  return (await get(`/payments/${body.resource_id ?? body.id}`)).body
}

const typesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

/** The resolver asks. */
async function letPass(duration: { seconds?: number; minutes?: number; days?: number }): Promise<void> {
  switchyard.clock.advance(duration)
  await switchyard.settle()
}

/** So everybody begins who is not told in time. */
function expectUnknown(payment: { summary: string }, last4: string): void {
  expect(payment).toMatchObject({
    status: 'processing',
    attempts_count: 1,
    amount_captured: 0,
    summary: `It is not known yet whether EUR 12.99 was taken from visa ending in ${last4}. The provider is being asked; nobody else is meanwhile.`,
  })
}

/** So they end if it was taken after all. */
async function expectTakenOnce({ get }: Workspace, id: string, last4: string): Promise<void> {
  const { body } = await get(`/payments/${id}`)
  expect(body).toMatchObject({
    status: 'succeeded',
    attempts_count: 1,
    amount_captured: 1299,
    unresolved_since_at: null,
    review: null,
    summary: `EUR 12.99 was taken from visa ending in ${last4}.`,
  })
  expect(await ledger.sumsOf(id)).toMatchObject({ approvals: 1, captured: 1299, refunded: 0 })
}

test('a provider that answers after our time-out has taken the money once, and is asked until we know', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5011'))
  expectUnknown(payment, '0008')
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 1 })

  // Now its answer leaves, and nobody is there to hear it.
  await ledger.advance(20_000)
  await letPass({ seconds: 3 })

  await expectTakenOnce(workspace, payment.id, '0008')
})

test('a provider that answers after our own answer is still heard, and not asked again', async () => {
  const workspace = await hasty.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5011'))
  expect(payment).toMatchObject({
    status: 'processing',
    unresolved_since_at: null,
    summary: 'EUR 12.99 is being asked for from visa ending in 0008.',
  })

  await ledger.advance(20_000)
  await expect
    .poll(async () => (await workspace.get(`/payments/${payment.id}`)).body.status, { timeout: 10_000 })
    .toBe('succeeded')

  await expectTakenOnce(workspace, payment.id, '0008')
  const calls = await simulator.callsOf(payment.provider_account_id)
  expect(calls.filter(({ path }) => path.includes('/operations/'))).toHaveLength(1)
})

test('a provider that never answers is asked for a week; then a person has to, and no other provider ever was', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, good)
  await simulator.configure(account, { outage: true, outage_manner: 'silence' })
  const payment = await pay(workspace, good)
  expectUnknown(payment, '4242')

  await letPass({ seconds: 3 })
  await letPass({ minutes: 15 })
  expectUnknown((await workspace.get(`/payments/${payment.id}`)).body, '4242')
  await letPass({ days: 8 })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'processing',
    review: 'needs_review',
    attempts_count: 1,
    amount_captured: 0,
    summary:
      'It is not known whether EUR 12.99 was taken from visa ending in 4242, and the provider does not tell. Somebody has to ask them.',
  })
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 0, captured: 0 })
})

test('a provider that answers 500 after charging has taken the money once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5003'))
  expectUnknown(payment, '0008')
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 1 })

  await letPass({ seconds: 3 })

  await expectTakenOnce(workspace, payment.id, '0008')
})

test('a webhook before the answer changes nothing twice: one success, one event', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5012'))
  await ledger.flush(payment.provider_account_id)
  await switchyard.settle()

  await expectTakenOnce(workspace, payment.id, '0007')
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
})

test('a webhook that comes twice ends a silent payment once', async () => {
  const workspace = await switchyard.newWorkspace()
  const { provider_account_id: account } = await pay(workspace, good)
  await simulator.configure(account, { webhooks: 'twice' })
  const payment = await pay(workspace, numberOfScenario('5016'))
  expect(payment.summary).toBe('EUR 12.99 is being asked for from visa ending in 0003.')

  await ledger.advance(5_000)
  await ledger.flush(account)
  await switchyard.settle()

  await expectTakenOnce(workspace, payment.id, '0003')
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.succeeded'])
})

test('a forged webhook is not believed: the truth is asked for, and nothing was taken', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5020'))
  await ledger.flush(payment.provider_account_id)
  await switchyard.settle()
  expectUnknown((await workspace.get(`/payments/${payment.id}`)).body, '0007')

  await letPass({ seconds: 3 })
  // The second account plays the same card, so it is asked about as well.
  await letPass({ seconds: 75 })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'failed',
    amount_captured: 0,
    failure: { code: 'do_not_honor' },
    summary:
      'Nothing was taken from visa ending in 0007 after 2 attempts: do not honor. Your bank declined this payment. Use another card.',
  })
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 0, captured: 0 })
})

test('a provider that says another amount is not believed either way: a person has to look', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, numberOfScenario('5014'))
  await letPass({ minutes: 15 })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'processing',
    review: 'needs_review',
    attempts_count: 1,
    amount_captured: 0,
    summary: 'What the provider says contradicts what was asked of it. Somebody has to look.',
  })
  expect(await ledger.sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 1298 })
  expect(await typesOf(workspace, payment.id)).toEqual(['payment.created', 'payment.needs_review'])
})
