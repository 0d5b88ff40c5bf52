// A process that is killed at any named crash point of a payment charges no payer twice and loses nothing:
// the next process continues the same payment, and a caller that repeats the request gets its response. The
// tests compare the payments with the ledger of the simulator. Each point runs with one provider, in turn; `npm run
// test:crashes` runs every point with the simulator and with every emulated provider. If a provider neither recognizes
// a repeated request nor proves that it did not receive the first one, the operation is not executed and needs review.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import type { Crashpoint } from '../../src/platform/crashpoint.ts'
import type { OperationKind } from '../../src/providers/contract.ts'
import {
  agreesWithLedger,
  approveAtBank,
  type Card,
  createCardToken,
  type EmulatedAccount,
  readOutcome,
} from '../support/emulated-accounts.ts'
import type { LedgerTotals } from '../support/simulator-ledger.ts'
import type { Workspace } from '../support/switchyard.ts'
import { type CrashProvider, crashProviders, providersInTurn } from './support/crash-providers.ts'
import {
  duringProviderCall,
  fetchWhenReady,
  type Request,
  sendRequest,
  startPaymentInstallation,
} from './support/payment-installation.ts'

const {
  switchyard,
  simulator,
  ledger,
  start,
  crashDuringRequest,
  crashDuringWork,
  expireIdempotencyLeases,
  expireAllLeases,
  listOpenOperations,
  makeOnlyDue,
  makeDaysPass,
  newShop,
} = await startPaymentInstallation()

/**
 * A crash point, the state at the crash, and whether the provider's ledger contains the operation by then.
 */
type Point = readonly [name: Crashpoint | typeof duringProviderCall, state: string, isExecuted: boolean]

/** The crash points of a request that calls a provider. */
// biome-ignore format: a table.
const requestPoints: readonly Point[] = [
  ['payment.intended', 'the provider has not been called',                 false],
  [duringProviderCall,   'killed from outside: the provider executes the request after the crash', true],
  ['payment.answered', 'the provider has responded, and nothing is written', true],
  ['payment.recorded', 'the outcome is committed',                         true],
  ['reply.lost',       'the response is stored, but not sent',             true],
]
/** The crash points of a worker that looks up the outcome of an operation. */
// biome-ignore format: a table.
const resolverPoints: readonly Point[] = [
  ['work.received',    'the worker has received the message',              false],
  ['resolve.taken',    'the operation is taken over, under a new lease',   false],
  [duringProviderCall,   'killed from outside: the provider executes the repeated request after the crash', true],
  ['resolve.answered', 'the provider has responded, and nothing is written', true],
  ['resolve.recorded', 'the outcome is committed',                         true],
  ['work.handled',     'the work is handled, but not acknowledged',        true],
]
/** The crash points of a request in which a payer returns from the bank. */
// biome-ignore format: a table.
const payerPoints: readonly Point[] = [
  ['payer.returned',   'the return is committed, and the provider is not notified', false],
  ['payer.answered',   'the provider has responded, and nothing is written', true],
]

const amount = 1299

/** A workspace with accounts of one provider. */
type Shop = EmulatedAccount<Workspace>

async function createPayment(shop: Shop, card: Card, members: object = {}) {
  const token = await createCardToken(shop, card)
  return (await shop.workspace.post('/payments', { amount, currency: 'eur', token, ...members })).body
}

const cardOf = (scenario: string): Card => ({ number: cardNumberForScenario(scenario), scenario })
const goodCard: Card = { number: '4242424242424242', scenario: 'approve' }

type CrashScenario = {
  readonly action: string
  readonly points: readonly Point[]
  /** Whether the scenario is possible with the provider. */
  readonly isPossible?: (provider: CrashProvider) => boolean
  /** The request, in a workspace that is set up for it. */
  readonly request: (shop: Shop) => Promise<Request>
  /** Whether the provider has executed it. */
  readonly isExecuted: (sums: LedgerTotals) => boolean
  /** The payment at the end. */
  readonly finalPayment: object
  /** The operation that the request performs at the provider. */
  readonly operation: OperationKind
  /** The response to the repeated request. */
  readonly response: {
    readonly status: number
    readonly body: { readonly object: string; readonly [member: string]: unknown }
  }
  /** The type of the event that reports it. */
  readonly eventType: string
}

const charged = { status: 'succeeded', amount_captured: amount, amount_capturable: 0, review: null }

const crashScenarios: readonly CrashScenario[] = [
  {
    action: 'creating',
    points: requestPoints,
    request: async (shop) => ({
      path: '/payments',
      key: 'order-1',
      body: { amount, currency: 'eur', token: await createCardToken(shop, goodCard) },
    }),
    isExecuted: ({ approvals }) => approvals === 1,
    finalPayment: { ...charged, summary: '€12.99 charged to Visa •••• 4242.' },
    operation: 'authorize',
    response: { status: 201, body: { object: 'payment', status: 'succeeded' } },
    eventType: 'payment.succeeded',
  },
  {
    action: 'failing over to another account',
    // The first account has declined; the second attempt is committed, and its account has not received it.
    points: [['payment.recorded', 'the next attempt is committed', false]],
    // A token of a provider can only be charged at that account.
    isPossible: ({ acceptsCardNumbers }) => acceptsCardNumbers,
    request: async (shop) => ({
      path: '/payments',
      key: 'order-1',
      body: { amount, currency: 'eur', token: await createCardToken(shop, cardOf('5009')) },
    }),
    isExecuted: ({ approvals }) => approvals === 1,
    finalPayment: { ...charged, summary: '€12.99 charged to Visa •••• 0002 after 2 attempts.' },
    operation: 'authorize',
    response: { status: 201, body: { object: 'payment', status: 'succeeded', attempts_count: 2 } },
    eventType: 'payment.succeeded',
  },
  {
    action: 'capturing',
    points: requestPoints,
    request: async (shop) => {
      const { id } = await createPayment(shop, goodCard, { capture_method: 'manual' })
      return { path: `/payments/${id}/capture`, key: 'capture-1', body: {} }
    },
    isExecuted: ({ captured }) => captured === amount,
    finalPayment: { ...charged, summary: '€12.99 charged to Visa •••• 4242.' },
    operation: 'capture',
    response: { status: 200, body: { object: 'payment', status: 'succeeded', amount_captured: amount } },
    eventType: 'payment.succeeded',
  },
  {
    action: 'cancelling',
    points: requestPoints,
    request: async (shop) => {
      const { id } = await createPayment(shop, goodCard, { capture_method: 'manual' })
      return { path: `/payments/${id}/cancel`, key: 'cancel-1', body: {} }
    },
    isExecuted: ({ voided }) => voided === amount,
    finalPayment: {
      status: 'cancelled',
      amount_captured: 0,
      amount_capturable: 0,
      review: null,
      summary: 'Payment cancelled. Nothing was charged to Visa •••• 4242.',
    },
    operation: 'void',
    response: { status: 200, body: { object: 'payment', status: 'cancelled' } },
    eventType: 'payment.cancelled',
  },
  {
    action: 'refunding',
    points: requestPoints,
    request: async (shop) => {
      const { id } = await createPayment(shop, goodCard)
      await waitUntilCaptured(shop, id)
      return { path: '/refunds', key: 'refund-1', body: { payment_id: id, amount: 500 } }
    },
    isExecuted: ({ refunded }) => refunded === 500,
    finalPayment: {
      ...charged,
      amount_refunded: 500,
      amount_refunding: 0,
      summary: '€12.99 charged to Visa •••• 4242. €5.00 refunded.',
    },
    operation: 'refund',
    response: { status: 201, body: { object: 'refund', status: 'succeeded', amount: 500 } },
    eventType: 'payment.updated',
  },
  {
    action: 'saving a card for a new customer of the provider',
    points: [['payment.customer_created', 'the customer is created, and not stored', false]],
    isPossible: ({ name }) => name === 'stripe',
    request: async (shop) => ({
      path: '/payments',
      key: 'order-1',
      body: {
        amount,
        currency: 'eur',
        token: await createCardToken(shop, goodCard),
        customer_id: await shop.workspace.aCustomer(),
        save_payment_method: true,
      },
    }),
    isExecuted: ({ approvals }) => approvals === 1,
    finalPayment: { ...charged, payment_method_id: expect.any(String) },
    operation: 'authorize',
    response: { status: 201, body: { object: 'payment', status: 'succeeded' } },
    eventType: 'payment.succeeded',
  },
]

/** Some providers capture after their response. No worker looks up the result, so the check requests it. */
async function waitUntilCaptured({ workspace, provider }: Shop, id: string): Promise<void> {
  await expect
    .poll(async () => (await workspace.post(`/payments/${id}/check`)).body, {
      timeout: 20_000,
      message: provider,
    })
    .toMatchObject({ status: 'succeeded' })
}

const allPoints = [...requestPoints, ...resolverPoints, ...payerPoints]
const inTurn = providersInTurn(allPoints.map(([name]) => name))
const scenarioRuns = inTurn.runsOf(crashScenarios, ({ points, isPossible = () => true }, providers) =>
  points.flatMap((point) => providers.next(isPossible).map((provider) => ({ point, provider }))),
)

test.each(scenarioRuns)(
  'killed at every point while $item.action ($label): executed once, one event, and a repeat gets the response',
  {
    timeout: 180_000,
  },
  async ({ item: scenario, cases }) => {
    const { request, isExecuted, eventType } = scenario
    const crashes = await Promise.all(
      cases.map(async ({ point: [point, , isExecutedBefore], provider }) => {
        const shop = await newShop(provider)
        const { workspace } = shop
        const sent = await request(shop)
        const events = await countEvents(workspace, eventType)
        await crashDuringRequest(point, workspace, sent)
        const { id } = await onlyPayment(workspace)
        const message = `${provider.name}, ${point}`
        expect(isExecuted(await ledger.fetchTotals(id)), message).toBe(isExecutedBefore)
        return { workspace, sent, message, events, provider, isRepeatNeeded: !isExecutedBefore }
      }),
    )

    await expireAllLeases()
    const healthy = await start('all')
    for (const crash of crashes)
      if (crash.isRepeatNeeded && !crash.provider.canRepeat) await expectNotRepeated(scenario, crash, healthy)
      else await expectCompleted(scenario, crash, healthy)
    await healthy.kill('SIGTERM')
  },
)

type Crash = {
  readonly workspace: Workspace
  readonly sent: Request
  readonly message: string
  readonly events: number
  readonly provider: CrashProvider
}

async function expectCompleted(
  { finalPayment, isExecuted, response, eventType }: CrashScenario,
  { workspace, sent, message, events, provider }: Crash,
  healthy: Awaited<ReturnType<typeof start>>,
): Promise<void> {
  await expect.poll(() => onlyPayment(workspace), { timeout: 20_000, message }).toMatchObject(finalPayment)
  const repeated = await sendRequest(healthy, workspace, sent)
  const answer = { status: repeated.status, body: await repeated.json() }
  const isStoredAsPending = provider.isAsynchronous && isPending(answer.body)
  expect(answer, message).toMatchObject(
    isStoredAsPending ? { status: response.status, body: { object: response.body.object } } : response,
  )
  const payment = await onlyPayment(workspace)
  expect(isExecuted(await ledger.fetchTotals(payment.id)), message).toBe(true)
  await ledger.expectMatch(payment)
  expect(await listOpenOperations(workspace), message).toEqual([])
  // A refund updates its payment twice: when it starts and when it ends.
  expect((await countEvents(workspace, eventType)) - events, message).toBe(
    eventType === 'payment.updated' ? 2 : 1,
  )
}

/** The stored response of a request whose result the provider reports later. */
const isPending = (body: unknown) => ['processing', 'pending'].includes((body as { status: string }).status)

/**
 * The provider did not receive the request, and would process a second one. The operation is looked up, until it is
 * certain after a day that the provider has not processed it. If the lookup cannot prove that, the operation needs
 * review after a week. Until then and afterwards nothing is executed, even if the caller repeats the request.
 */
async function expectNotRepeated(
  { isExecuted, operation, response }: CrashScenario,
  { workspace, sent, message, provider }: Crash,
  healthy: Awaited<ReturnType<typeof start>>,
): Promise<void> {
  const { id } = await onlyPayment(workspace)
  const expectOpen = async (operations: readonly string[]) => {
    await expect.poll(() => listOpenOperations(workspace), { timeout: 20_000, message }).toEqual(operations)
    expect(isExecuted(await ledger.fetchTotals(id)), message).toBe(false)
    await ledger.expectMatch(await onlyPayment(workspace))
  }
  await expectOpen([`${operation} unknown`])
  if (provider.provesAbsence(operation)) {
    await makeDaysPass(workspace, 1)
    return expectOpen([])
  }
  await makeDaysPass(workspace, 7)
  await expectOpen([`${operation} needs_review`])
  const repeated = await sendRequest(healthy, workspace, sent)
  expect({ status: repeated.status, body: await repeated.json() }, message).toMatchObject({
    status: response.status,
    body: { object: response.body.object, review: 'needs_review' },
  })
  await expectOpen([`${operation} needs_review`])
  const outcome = await readOutcome(workspace, id)
  expect(outcome.review, message).not.toBeNull()
  expect(agreesWithLedger(outcome, await ledger.fetchTotals(id)), message).toBe(true)
}

/** There must be exactly one payment. */
async function onlyPayment({ get }: Workspace) {
  const { data } = (await get('/payments')).body
  expect(data).toHaveLength(1)
  return data[0]
}

async function countEvents({ get }: Workspace, type: string): Promise<number> {
  const { data } = (await get('/events?limit=100')).body
  return data.filter((event: { data: string }) => JSON.parse(event.data).type === type).length
}

test.each(
  inTurn.runsOf(['resolving an unknown outcome'], (_, providers) =>
    resolverPoints.flatMap((point) => providers.next().map((provider) => ({ point, provider }))),
  ),
)(
  'killed at every point of $item ($label): charged once',
  {
    timeout: 180_000,
  },
  async ({ cases }) => {
    const crashes: { workspace: Workspace; id: string; message: string; summary: string }[] = []
    for (const {
      point: [point, , isExecuted],
      provider,
    } of cases) {
      const message = `${provider.name}, ${point}`
      const shop = await newShop(provider)
      const { workspace } = shop
      const id = await createUnresolvedPayment(shop, provider)
      await makeOnlyDue(id)
      await crashDuringWork(point, workspace)
      const approvals = isExecuted || !losesRequests(provider) ? 1 : 0
      expect((await ledger.fetchTotals(id)).approvals, message).toBe(approvals)
      const { number } = unresolvedCard(provider)
      crashes.push({ workspace, id, message, summary: `€12.99 charged to Visa •••• ${number.slice(-4)}.` })
    }

    await expireAllLeases()
    const healthy = await start('worker')
    for (const { workspace, id, message, summary } of crashes) {
      await expect
        .poll(() => onlyPayment(workspace), { timeout: 20_000, message })
        .toMatchObject({ ...charged, id, summary })
      await ledger.expectMatch(await onlyPayment(workspace))
      expect(await listOpenOperations(workspace), message).toEqual([])
      expect(await countEvents(workspace, 'payment.succeeded'), message).toBe(1)
    }
    await healthy.kill('SIGTERM')
  },
)

/**
 * Creates a payment whose request was lost, so that only the repeat charges. At a provider that must not get the request
 * twice, the response was lost instead.
 */
async function createUnresolvedPayment(shop: Shop, provider: CrashProvider): Promise<string> {
  await simulator.configure(shop.id, { webhooks: 'off' })
  if (losesRequests(provider)) await simulator.configure(shop.id, { outage: true, outage_manner: 'hang_up' })
  const { id, summary } = await createPayment(shop, unresolvedCard(provider))
  expect(summary).toMatch(/^Outcome unknown: checking with the provider whether €12.99 was charged/)
  await simulator.configure(shop.id, { outage: false })
  return id
}

/** Without an access token nothing is sent, so that the outcome is known. */
const losesRequests = ({ canRepeat, usesAccessToken }: CrashProvider) => canRepeat && !usesAccessToken
/** The provider charges the card 5007, and its response is truncated. */
const unresolvedCard = (provider: CrashProvider) => (losesRequests(provider) ? goodCard : cardOf('5007'))

test.each(
  inTurn.runsOf(['a payer’s return'], (_, providers) =>
    payerPoints.flatMap((point) => providers.next().map((provider) => ({ point, provider }))),
  ),
)(
  'killed at every point of $item ($label): charged once, and reloading the page changes nothing',
  {
    timeout: 120_000,
  },
  async ({ cases }) => {
    const crashes: { workspace: Workspace; message: string; returnUrl: string }[] = []
    for (const {
      point: [point, , isExecutedByPoint],
      provider,
    } of cases) {
      const message = `${provider.name}, ${point}`
      // Some providers charge when the payer has approved, and others when they are called afterwards.
      const isExecuted = isExecutedByPoint || !provider.isCompletedByUs
      const shop = await newShop(provider)
      const { workspace } = shop
      // A webhook could report the approval before the payer returns.
      await simulator.configure(shop.id, { webhooks: 'off' })
      const { id, next_action } = await createPayment(shop, cardOf('3000'))
      const returnUrl = (await approveAtBank(next_action.url)) ?? ''
      expect(returnUrl, message).toContain(switchyard.addresses.test)
      const crashing = await start('api', point)
      const urlAtCrashing = returnUrl.replace(switchyard.addresses.test, crashing.addresses.test)
      await expect(fetchWhenReady(urlAtCrashing, { redirect: 'manual' })).rejects.toThrow()
      expect(await crashing.exited).toBe('SIGKILL')
      expect((await ledger.fetchTotals(id)).approvals, message).toBe(isExecuted ? 1 : 0)
      crashes.push({ workspace, message, returnUrl })
    }

    await expireAllLeases()
    const healthy = await start('worker')
    for (const { workspace, message, returnUrl } of crashes) {
      await expect
        .poll(() => onlyPayment(workspace), { timeout: 20_000, message })
        .toMatchObject({ status: 'succeeded' })
      await fetchRedirect(returnUrl)
      const payment = await onlyPayment(workspace)
      expect(payment, message).toMatchObject({ ...charged, summary: '€12.99 charged to Visa •••• 0006.' })
      await ledger.expectMatch(payment)
      expect(await listOpenOperations(workspace), message).toEqual([])
    }
    await healthy.kill('SIGTERM')
  },
)

async function fetchRedirect(url: string): Promise<string> {
  return (await fetchWhenReady(url, { redirect: 'manual' })).headers.get('location') ?? ''
}

test('a request that is repeated before the outcome is known waits for the outcome and returns it', {
  timeout: 120_000,
}, async () => {
  const shop = await newShop(crashProviders[0])
  const { workspace } = shop
  const body = { amount, currency: 'eur', token: await createCardToken(shop, goodCard) }
  const request = { path: '/payments', key: 'order-1', body }
  await crashDuringRequest('payment.answered', workspace, request)
  const { id } = await onlyPayment(workspace)
  const healthy = await start('all')
  await expireIdempotencyLeases()
  const repeatedRequest = sendRequest(healthy, workspace, request)
  // From now on the worker may resolve the outcome.
  await makeOnlyDue(id)

  const response = await repeatedRequest
  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ id, status: 'succeeded', amount_captured: amount })
  const replayed = await sendRequest(healthy, workspace, request)
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(await replayed.json()).toMatchObject({ id, status: 'succeeded' })
  await healthy.kill('SIGTERM')
})
