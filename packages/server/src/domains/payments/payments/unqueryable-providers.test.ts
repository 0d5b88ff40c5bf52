// Providers that cannot be queried: without lookup and close, unknown outcomes are resolved by replay, by
// webhook, or in a review.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})

const provider = createWebhookSender(simulator, switchyard)

/** A workspace whose only account has these settings. */
async function workspaceWith(config: object): Promise<{ workspace: Workspace; account: string }> {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  const [first, ...others] = accounts.data as { id: string }[]
  for (const { id } of others) await workspace.post(`/provider-accounts/${id}/disable`)
  const { status, body } = await workspace.put(`/provider-accounts/${first?.id}`, { config })
  expect(status, JSON.stringify(body)).toBe(200)
  return { workspace, account: first?.id ?? '' }
}

async function pay({ post, get }: Workspace, scenario: string, members: object = {}) {
  const card = { number: cardNumberForScenario(scenario), exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id, ...members })
  return (await get(`/payments/${body.resource_id ?? body.id}`)).body
}

const putsOf = async (account: string) =>
  (await simulator.listCalls(account)).filter(({ method }) => method === 'PUT').length
const queriesOf = async (account: string) =>
  (await simulator.listCalls(account)).filter(
    ({ method, path }) => method === 'GET' || path.endsWith('/close') || path.endsWith('/complete'),
  ).length

async function advance(duration: { minutes?: number; days?: number }): Promise<void> {
  switchyard.clock.advance(duration)
  await switchyard.settle()
}

const replayOnly = { lookup: false, close: false }
const webhookOnly = { lookup: false, close: false, replay: false }

test('a payer who returns in time completes the payment', async () => {
  // This is the first test of the file: the clocks of Switchyard and the simulator still agree.
  const { workspace } = await workspaceWith({ ...replayOnly, webhooks: 'off' })
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/' })
  const bank = (await fetch(payment.next_action.url, { redirect: 'manual' })).headers.get('location')
  await advance({ minutes: 29 })
  const returned = await fetch(`${bank}?auto`, { redirect: 'manual' })
  await fetch(returned.headers.get('location') ?? '', { redirect: 'manual' })

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299 })
  await ledger.expectMatch(body)
})

test('a request whose response was lost is replayed, and the payment is charged once', async () => {
  const { workspace, account } = await workspaceWith({ ...replayOnly, webhooks: 'off' })
  const { id, status } = await pay(workspace, '5004')
  expect(status).toBe('processing')

  await advance({ minutes: 2 })

  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
  await ledger.expectMatch(body)
  expect([await putsOf(account), await queriesOf(account)]).toEqual([2, 0])
})

test('a repeat that would differ from the first request is never sent', async () => {
  const { workspace, account } = await workspaceWith({ ...replayOnly, webhooks: 'off' })
  const { id } = await pay(workspace, '5001')
  // Simulate a first request that was different.
  const change = "update operations set request_hash = sha256('another request') where payment_id = $1"
  await asOwner(switchyard.databaseUrl, (client) => client.query(change, [uuidOf(id)]))

  for (let round = 0; round < 4; round += 1) await advance({ minutes: 2 })

  expect(await putsOf(account)).toBe(1)
  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'processing', amount_captured: 0 })
})

test('without replay, a request whose response was lost is not sent again, and a webhook resolves it', async () => {
  const { workspace, account } = await workspaceWith(webhookOnly)
  await simulator.configure(account, { webhook_url: null })
  const { id, status } = await pay(workspace, '5016')
  expect(status).toBe('processing')
  for (let round = 0; round < 5; round += 1) await advance({ minutes: 20 })
  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({ status: 'processing', review: null })
  expect([await putsOf(account), await queriesOf(account)]).toEqual([1, 0])

  // Opening the account again configures the webhook URL.
  await switchyard.call('test', 'POST', `/provider-webhooks/${account}`, {})
  await ledger.advance(5_000)
  await ledger.flush(account)
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, review: null })
  await ledger.expectMatch(body)
})

test('a pending payment at a provider that only supports close is not closed before its time', async () => {
  const { workspace, account } = await workspaceWith({ lookup: false, replay: false })
  await simulator.configure(account, { webhook_url: null })
  const { id, status } = await pay(workspace, '5016')
  expect(status).toBe('processing')

  for (let round = 0; round < 3; round += 1) await advance({ minutes: 2 })

  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({ status: 'processing', review: null })
  expect(await queriesOf(account)).toBe(0)
})

/** A payment whose response is lost, with a card that only the provider stores and that is to be saved. */
async function payAndSaveProviderCard(workspace: Workspace, account: string) {
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const provider_token = { provider_account_id: account, token: 'tok_of_the_page', card }
  const { body: token } = await workspace.post('/tokens', { type: 'provider_token', provider_token })
  // Opening the account configures the simulator.
  await switchyard.call('test', 'POST', `/provider-webhooks/${account}`, {})
  await simulator.configure(account, { outage: true, outage_manner: 'silence', webhook_url: null })
  const order = { amount: 1299, currency: 'eur', token: token.id, save_payment_method: true }
  const { body } = await workspace.post('/payments', { ...order, customer_id: await workspace.aCustomer() })
  expect(body.status, JSON.stringify(body)).toBe('processing')
  await simulator.configure(account, { outage: false })
  return { id: body.id as string, reference: `${body.id.slice(-26)}-1` }
}

const succeeded = { kind: 'authorize', status: 'succeeded', amount: 1299, currency: 'eur' }

test('a webhook without a token completes a payment whose card is to be saved, but the card is not saved', async () => {
  const { workspace, account } = await workspaceWith(webhookOnly)
  const { id, reference } = await payAndSaveProviderCard(workspace, account)

  await provider.send(account, { ...succeeded, reference, provider_reference: 'sim_1' })
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, payment_method_id: null })
})

test('a webhook with a token saves the card, and the token is stored only encrypted', async () => {
  const { workspace, account } = await workspaceWith(webhookOnly)
  const { id, reference } = await payAndSaveProviderCard(workspace, account)

  const token = 'tok_of_the_webhook'
  await provider.send(account, { ...succeeded, reference, provider_reference: 'sim_1', token })
  await switchyard.settle()

  const { body: payment } = await workspace.get(`/payments/${id}`)
  expect(payment).toMatchObject({ status: 'succeeded', payment_method_id: expect.any(String) })
  const uuid = uuidOf(account as Id<'provider_account'>)
  const text = 'select event::text from provider_events where provider_account_id = $1'
  const { rows } = await asOwner(switchyard.databaseUrl, (client) => client.query(text, [uuid]))
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(token)

  const { payment_method_id } = payment
  await workspace.post('/payments', { amount: 500, currency: 'eur', payment_method_id })
  const calls = await simulator.listCalls(account)
  expect(calls.at(-1)?.body).toMatchObject({ instrument: { type: 'token', token } })
})

test('without a webhook the payment needs review after a week, and was sent once', async () => {
  const { workspace, account } = await workspaceWith(webhookOnly)
  const { id } = await pay(workspace, '5001')
  for (let day = 0; day < 8; day += 1) await advance({ days: 1, minutes: 1 })

  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'processing', review: 'needs_review', amount_captured: 0 })
  expect([await putsOf(account), await queriesOf(account)]).toEqual([1, 0])
})

test('a payer who never returns from the bank is not charged, and a late return changes nothing', async () => {
  const { workspace, account } = await workspaceWith({ ...replayOnly, webhooks: 'off' })
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/' })
  expect(payment.status).toBe('requires_action')
  const bank = (await fetch(payment.next_action.url, { redirect: 'manual' })).headers.get('location')

  for (const minutes of [31, 5, 20]) await advance({ minutes })
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'failed', failure: { code: 'authentication_abandoned' } })

  const returned = await fetch(`${bank}?auto`, { redirect: 'manual' })
  await fetch(returned.headers.get('location') ?? '', { redirect: 'manual' })
  await advance({ minutes: 5 })
  expect((await workspace.get(`/payments/${payment.id}`)).body).toEqual(body)
  expect(await queriesOf(account)).toBe(0)
  await ledger.expectMatch(body)
})

test('an operation of which the provider has had no record for two hours was not processed', async () => {
  const { workspace, account } = await workspaceWith({ replay: false, close: false, webhooks: 'off' })
  const { id } = await pay(workspace, '5001')
  for (let minutes = 0; minutes < 100; minutes += 20) await advance({ minutes: 20 })
  expect((await workspace.get(`/payments/${id}`)).body.status).toBe('processing')
  for (let hours = 0; hours < 8; hours += 1) await advance({ minutes: 60 })

  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'failed', failure: { code: 'provider_error' }, review: null })
  expect(await putsOf(account)).toBe(1)
  await ledger.expectMatch(body)
})
