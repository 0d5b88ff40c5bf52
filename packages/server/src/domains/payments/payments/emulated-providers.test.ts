// Connectors against the emulators of their providers: every kind of test card, with the faults that it simulates.
// Whatever happens, the provider charges at most once, and the payment agrees with the ledger of the provider or
// needs review.

import { expect, test } from 'vitest'
import { type TestCard, testCards } from '../../../../../simulator/src/index.ts'
import {
  agreesWithLedger,
  approveAsPayer,
  createCardToken,
  createEmulatedAccount,
  type EmulatedAccount,
  readOutcome,
} from '../../../../test/support/emulated-accounts.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { mapConcurrently } from '../../../platform/map-concurrently.ts'
import { modification, notification, signed } from '../../../providers/adyen/fixtures/notifications.ts'
import { connectors } from '../../../providers/connectors.ts'
import type { ConnectorConfig } from '../../../providers/contract.ts'
import { openAccount } from '../../routing/provider-accounts/service/open.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  // A short timeout for providers that do not respond.
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})
const { deps } = switchyard

/** A few of the declines are enough, because they differ only in their codes. */
const declines = ['decline:05', 'decline:14', 'decline:51', 'decline:54', 'advice:03', 'advice:21']
const cards = testCards.filter(
  ({ scenario }) => !/^(decline|advice):/.test(scenario) || declines.includes(scenario),
)

/** How many cards pay at a time. */
const concurrency = 8

const providers = connectors.map(({ id }) => id)

/** A workspace whose only account is emulated. */
const emulatedAccount = async (provider: string) =>
  createEmulatedAccount(await switchyard.newWorkspace(), provider)

/** Advances both clocks in steps, so that the resolver runs and the delays of the simulator elapse. */
async function letTimePass(steps: number, seconds: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    switchyard.clock.advance({ seconds })
    await ledger.advance(seconds * 1_000)
    await switchyard.settle()
  }
}

const letMinutesPass = () => letTimePass(8, 75)
/** Longer than any operation may stay unresolved. */
const letDaysPass = () => letTimePass(10, 24 * 3_600)

/** Pays with the card, and returns the id of the payment. */
async function pay(account: EmulatedAccount, card: TestCard): Promise<string> {
  const { workspace } = account
  const isManual = card.followUp === 'capture' || card.followUp === 'void'
  const { body } = await workspace.post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: await createCardToken(account, card),
    capture_method: isManual ? 'manual' : 'automatic',
    return_url: 'https://shop.example.com/',
  })
  const id: string = body.resource_id ?? body.id
  const { body: payment } = await workspace.get(`/payments/${id}`)
  if (payment.next_action !== null) await approveAsPayer(payment.next_action.url)
  return id
}

async function followUp(
  { workspace }: EmulatedAccount,
  { followUp: kind }: TestCard,
  id: string,
): Promise<void> {
  if (kind === 'capture') await workspace.post(`/payments/${id}/capture`, {})
  if (kind === 'void') await workspace.post(`/payments/${id}/cancel`, {})
  if (kind === 'refund') await workspace.post('/refunds', { payment_id: id })
}

for (const provider of providers) {
  test(`${provider}: the check accepts generated credentials`, async () => {
    const { workspace, id } = await emulatedAccount(provider)

    const { body } = await workspace.post(`/provider-accounts/${id}/check`)

    expect(body.check).toEqual({ passed: true, faults: [] })
  })

  test(`${provider}: every kind of test card agrees with the ledger`, { timeout: 600_000 }, async () => {
    const account = await emulatedAccount(provider)
    // Concurrently, because the provider does not respond to some of them.
    const paid = await mapConcurrently(concurrency, cards, async (card) => ({
      card,
      id: await pay(account, card),
    }))
    await letMinutesPass()
    await mapConcurrently(concurrency, paid, ({ card, id }) => followUp(account, card, id))
    await letMinutesPass()
    await letDaysPass()

    const counts: Record<string, number> = {}
    const wrong: string[] = []
    for (const { card, id } of paid) {
      const payment = await readOutcome(account.workspace, id)
      const totals = await ledger.fetchTotals(id)
      const label = payment.review === null ? payment.status : payment.review
      counts[label] = (counts[label] ?? 0) + 1
      if (!agreesWithLedger(payment, totals))
        wrong.push(`${card.scenario}: ${payment.summary} ${JSON.stringify(totals)}`)
    }
    console.log(`${provider}: ${JSON.stringify(counts)}`)
    expect(wrong).toEqual([])
  })
}

test('an account that can be captured only once rejects a partial capture that is not final', async () => {
  const account = await emulatedAccount('adyen')
  const { workspace } = account
  const card = testCards.find(({ scenario }) => scenario === '6001') as TestCard
  const id = await pay(account, card)

  const { status, body } = await workspace.post(`/payments/${id}/capture`, { amount: 700, final: false })

  expect([status, body.errors[0].pointer]).toEqual([400, '/final'])
  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 1299,
  })
  expect((await ledger.fetchTotals(id)).captured).toBe(0)
})

test('credentials of a real account are not accepted for an emulated one', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body } = await workspace.post('/provider-accounts', {
    provider: 'adyen',
    display_name: 'Adyen',
    config: { emulated: true },
    credentials: { api_key: 'AQEyhmfxKonOaBFMqb4', hmac_key: 'a1'.repeat(32) },
  })

  expect([status, body.errors[0].pointer]).toEqual([400, '/credentials'])
})

test('after the API key was replaced, possibly by the key of another merchant, a payment with an unknown outcome is not sent again', async () => {
  const account = await emulatedAccount('adyen')
  const { workspace, id } = account
  await workspace.put(`/provider-accounts/${id}`, { config: { webhooks: 'off' } })
  const card = testCards.find(({ scenario }) => scenario === '5004') as TestCard
  const paymentId = await pay(account, card)

  const credentials = { api_key: 'emulated-another-api-key' }
  const { status } = await workspace.post(`/provider-accounts/${id}/rotate_secret`, { credentials })
  await letMinutesPass()

  expect(status).toBe(200)
  const calls = (await simulator.listCalls(id)).filter(({ path }) => path.endsWith('/payments'))
  expect(calls).toHaveLength(1)
  expect((await workspace.get(`/payments/${paymentId}`)).body.status).toBe('processing')
})

test.each(['adyen', 'paypal'])(
  '%s: the return of the payer is sent again if its response was lost',
  async (provider) => {
    const account = await emulatedAccount(provider)
    const { workspace, id } = account
    if (provider === 'adyen') await workspace.put(`/provider-accounts/${id}`, { config: { webhooks: 'off' } })
    const card = testCards.find(({ scenario }) => scenario === '3000') as TestCard
    const { body } = await workspace.post('/payments', {
      amount: 1299,
      currency: 'eur',
      token: await createCardToken(account, card),
      return_url: 'https://shop.example.com/',
    })

    await simulator.cutNextResponse(id, 20)
    await approveAsPayer(body.next_action.url)
    const { body: unknown } = await workspace.get(`/payments/${body.id}`)
    await letMinutesPass()

    expect(unknown.status).toBe('processing')
    expect((await workspace.get(`/payments/${body.id}`)).body).toMatchObject({
      status: 'succeeded',
      review: null,
    })
    expect(await ledger.fetchTotals(body.id)).toMatchObject({ approvals: 1, captured: 1299 })
  },
)

const approvedCard = testCards.find(({ scenario }) => scenario === 'approve') as TestCard

type AdyenAccount = Awaited<ReturnType<typeof emulatedAccount>>

/** Sends signed webhooks of Adyen about the second operation of a payment. */
async function adyenWebhooks({ workspace, id }: AdyenAccount, paymentId: string) {
  const { config } = await openAccount(
    deps,
    workspace.workspaceId as Id<'workspace'>,
    id as Id<'provider_account'>,
  )
  const [hmacKey = ''] = (config as ConnectorConfig).webhook_secrets.hmac_key ?? []
  return async (eventCode: string, kind: 'capture' | 'refund', value: number) => {
    const item = modification(eventCode, `${paymentId.slice(-26)}-2-${kind}`, {
      merchantAccountCode: 'EmulatedMerchant',
      amount: { value, currency: 'EUR' },
    })
    const raw = Buffer.from(notification([signed(item, hmacKey)]).body).toString()
    const { status } = await switchyard.call('test', 'POST', `/provider-webhooks/${id}`, undefined, { raw })
    expect(status).toBe(200)
    await switchyard.settle()
    return (await workspace.get(`/payments/${paymentId}`)).body
  }
}

test('Adyen: a refund that failed after its success needs review', async () => {
  const account = await emulatedAccount('adyen')
  const paymentId = await pay(account, approvedCard)
  await account.workspace.post('/refunds', { payment_id: paymentId, amount: 500 })
  await letMinutesPass()
  const send = await adyenWebhooks(account, paymentId)

  expect(await send('REFUND', 'refund', 500)).toMatchObject({ review: null, amount_refunded: 500 })
  expect(await send('REFUND_FAILED', 'refund', 500)).toMatchObject({
    review: 'conflict',
    amount_refunded: 500,
  })
})

test.each([
  { name: 'a minute', wait: () => letTimePass(1, 60) },
  { name: 'days', wait: () => letTimePass(3, 24 * 3_600) },
])('Adyen: the failure of a capture that arrives $name before its success needs review', async ({ wait }) => {
  const account = await emulatedAccount('adyen')
  const { workspace } = account
  await workspace.put(`/provider-accounts/${account.id}`, { config: { webhooks: 'off' } })
  const paymentId = await pay(account, { ...approvedCard, followUp: 'capture' })
  await workspace.post(`/payments/${paymentId}/capture`, {})
  const send = await adyenWebhooks(account, paymentId)

  // Adyen may repeat a capture after a technical failure, so the failure alone does not end the operation.
  expect(await send('CAPTURE_FAILED', 'capture', 1299)).toMatchObject({
    status: 'processing',
    review: null,
    amount_captured: 0,
  })
  await wait()
  await send('CAPTURE', 'capture', 1299)
  await letTimePass(2, 3_600)
  expect((await workspace.get(`/payments/${paymentId}`)).body).toMatchObject({
    status: 'succeeded',
    review: 'conflict',
    amount_captured: 1299,
  })
})

test('Mollie: webhooks, which are not signed, cause at most one lookup every ten seconds', async () => {
  const account = await emulatedAccount('mollie')
  const { workspace, id } = account
  const { body: payment } = await workspace.post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: await createCardToken(account, testCards.find(({ scenario }) => scenario === '3000') as TestCard),
    return_url: 'https://shop.example.com/',
  })
  const { body: operations } = await workspace.get(`/payments/${payment.id}/operations`)
  const [{ provider_reference: mollieId }] = operations.data
  const sendWebhooks = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) {
      const raw = `id=${mollieId}`
      const { status } = await switchyard.call('test', 'POST', `/provider-webhooks/${id}`, undefined, { raw })
      expect(status).toBe(200)
      await switchyard.settle()
    }
    return (await simulator.listCalls(id)).filter(({ method }) => method === 'GET').length
  }

  // The call that created the payment was less than ten seconds ago.
  expect(await sendWebhooks(5)).toBe(0)
  switchyard.clock.advance({ seconds: 10 })
  expect(await sendWebhooks(5)).toBe(1)
  expect(await sendWebhooks(5)).toBe(1)
  switchyard.clock.advance({ seconds: 10 })
  await switchyard.settle()
  expect(await sendWebhooks(0)).toBe(2)
})
