// A provider outage under constant load, with and without the circuit breaker. The load is open-loop:
// payments start at a fixed rate, whether or not earlier ones have finished.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Simulator, startSimulator } from '../../../../simulator/src/index.ts'
import { buildApp } from '../../../src/app.ts'
import { compose, type Switchyard } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import type { Deps } from '../../../src/deps.ts'
import { type Id, idFromUuid, idMaker, uuidOf } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { setUpWorkspace } from '../../../src/setup.ts'
import { workTypes } from '../../../src/work-types.ts'
import { type Api, addEmulatedAccount, createEmulatedAccount } from '../../support/emulated-accounts.ts'
import { testMasterKeys } from '../../support/master-keys.ts'
import { runAllDueWork } from '../../support/run-all-due-work.ts'
import {
  cardWith,
  type DeclineReport,
  declineByIndex,
  declinedCard,
  type OutageDecline,
  type PhaseResults,
  reportDeclines,
} from './outage-declines.ts'

export type Outage = {
  readonly databaseUrl: string
  readonly hasBreaker: boolean
  /**
   * `simulator`: two simulated accounts. `stripe_adyen`: an emulated Stripe account fails, and an emulated Adyen
   * account takes over. Stripe also declines some payments, which Adyen approves. Three of ten payments use a card that
   * every account declines; a second Stripe account is the third account of their failover.
   */
  readonly providers: 'simulator' | 'stripe_adyen'
  /**
   * `plain`: the provider responds with an error, which in the case of Stripe does not prove that nothing was
   * processed. `reset`: it closes the connection, and the outcome is unknown.
   */
  readonly manner: 'plain' | 'reset'
  readonly ratePerSecond: number
  readonly beforeSeconds: number
  readonly outageSeconds: number
  /** Probes as soon as the provider is available again, instead of up to half a minute later. */
  readonly probeImmediately: boolean
}

/** The results of the payments of a phase with cards that the issuer approves, as returned by the API. */
export type Phase = {
  readonly payments: number
  /** Requests that were rejected because the machine was too busy. They created no payments. */
  readonly overloaded: number
  readonly approved: number
  /** Payments with an unknown outcome. */
  readonly unresolved: number
  /** Payments that were approved at an account other than the first one. */
  readonly failedOver: number
  /** The approval rate of the payments that were not rejected. */
  readonly rate: number
  /** Payments that were tried on the failing account. */
  readonly triedFailing: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export type OutageReport = {
  readonly before: Phase
  readonly during: Phase
  readonly after: Phase
  /** Since the start of the outage; null if the breaker did not open. */
  readonly openedAfterMs: number | null
  /** Since the end of the outage; null if the breaker never opened. */
  readonly recoveredAfterMs: number | null
  /** Payments that both accounts, or one account twice, have approved. */
  readonly doubleCharges: number
  /** Payments that the provider has approved, although Switchyard reports a different result, or the opposite. */
  readonly mismatches: readonly string[]
  /** The payments with cards that every account declines. */
  readonly declines: DeclineReport
}

export async function runOutage(outage: Outage): Promise<OutageReport> {
  const simulator = await startSimulator()
  const switchyard = composeServer(outage.databaseUrl, simulator.url)
  const deps: Deps = outage.hasBreaker ? switchyard.deps : { ...switchyard.deps, health: disabledHealth }
  const app = buildApp({ ...switchyard, deps }, 'test')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  switchyard.health.start()
  const worker = startWorker(deps)
  try {
    const merchant = await createMerchant(deps, address, outage)
    const configure = (changes: object) =>
      simulator.control('PUT', `${merchant.failing}/config`, { webhooks: 'off', ...changes })
    await configure(outage.providers === 'stripe_adyen' ? { auth_rate: stripeApprovalRate } : {})
    const phases = await runPhases(outage, merchant, configure)
    await waitUntilResolved(merchant)
    const { results, ...report } = phases
    const declines = await reportDeclines(simulator, merchant, results)
    return { ...report, ...(await compareWithLedger(simulator, merchant)), declines }
  } finally {
    await worker.stop()
    await app.close()
    await switchyard.close()
    await simulator.stop()
  }
}

function composeServer(databaseUrl: string, simulatorUrl: string): Switchyard {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: testMasterKeys,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
    DATABASE_POOL: '16',
    RATE_LIMIT_TEST: '100000',
    SIMULATOR_URL: simulatorUrl,
  })
  return compose(config, { publish: () => {}, isOverloaded: () => false })
}

/**
 * Stripe declines the other payments with a code that permits one failover, and Adyen approves each of them.
 */
const stripeApprovalRate = 0.7

/** Health tracking that never opens a circuit breaker. */
const disabledHealth: Deps['health'] = {
  recordResult() {},
  isOpen: () => false,
  shouldProbe: () => false,
  recordProbeStart() {},
}

/** Processes due work in a loop, like a worker. */
function startWorker(deps: Deps) {
  let stopping = false
  const ended = (async () => {
    while (!stopping) {
      await runAllDueWork(deps, workTypes, { maxRounds: 50 }).catch(() => {})
      await sleep(100)
    }
  })()
  return {
    stop() {
      stopping = true
      return ended
    },
  }
}

type TestMerchant = {
  readonly workspaceId: Id<'workspace'>
  /** The account that is tried first, and that fails. */
  readonly failing: string
  /** All accounts, in the order of the route. */
  readonly accounts: readonly string[]
  pay(index: number): Promise<PaymentResult>
  readonly api: Api
}

type PaymentResult = {
  readonly id: string
  /** The decline that every account reports for the card; null for a card that is approved. */
  readonly decline: OutageDecline | null
  readonly overloaded: boolean
  readonly approved: boolean
  readonly unresolved: boolean
  readonly failedOver: boolean
  readonly triedFailing: boolean
  readonly durationMs: number
}

/** Saved cards of two brands, so that payments do not all wait for one card. */
const cardNumbers = ['4242424242424242', '378282246310005']

async function createMerchant(
  deps: Deps,
  address: string,
  { providers }: Pick<Outage, 'providers'>,
): Promise<TestMerchant> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const workspace = await setUpWorkspace(deps, { organizationId, mode: 'test', name: 'A shop' })
  const api = apiOf(address, workspace.token)
  const post = async (path: string, body: object) => (await api.post(path, body)).body
  const accounts = providers === 'simulator' ? await simulatedAccounts(api) : await stripeAndAdyen(api)
  const [failing] = accounts
  const methods = await Promise.all(
    cardNumbers.map(async (number) => {
      const { id: token } = await post('/tokens', { type: 'card', card: cardWith(number) })
      const { id } = await post('/payment-methods', { token })
      const { id: customer_id } = await post('/customers', { name: 'Ada Lovelace' })
      await post(`/payment-methods/${id}/attach`, { customer_id })
      return id as string
    }),
  )
  const action = { type: 'priority', targets: accounts }
  // More attempts than any payment may have, so that the class of a decline ends a payment and not this limit.
  const failover = { max_attempts: 5, budget_ms: 20_000, on: ['technical', 'configuration', 'soft'] }
  await post('/payment-routes', { name: 'Cards', default: action, failover, is_default: true })
  const pay = async (index: number): Promise<PaymentResult> => {
    const decline = providers === 'simulator' ? null : (declineByIndex.get(index % 10) ?? null)
    // If the machine is too busy to create a card token, the payment is rejected and counts as overloaded.
    const card =
      decline === null
        ? { payment_method_id: methods[index % methods.length] }
        : { token: (await post('/tokens', { type: 'card', card: declinedCard(decline) })).id }
    const startedMs = performance.now()
    // Each amount is different: networks count how many times a card is tried with the same amount.
    const payment = await post('/payments', { amount: 1_000 + index, currency: 'eur', ...card })
    return {
      id: payment.resource_id ?? payment.id,
      decline,
      overloaded: payment.object !== 'payment' && payment.resource_id === undefined,
      approved: payment.status === 'succeeded',
      unresolved: payment.status === 'processing',
      failedOver: payment.status === 'succeeded' && payment.attempts_count > 1,
      triedFailing: payment.attempts_count > 1 || payment.provider_account_id === failing,
      durationMs: performance.now() - startedMs,
    }
  }
  return { workspaceId: workspace.workspaceId, failing, accounts, pay, api }
}

function apiOf(address: string, token: string): Api {
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const text = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(address + path, { method, headers, body: text })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
  }
}

type AccountIds = readonly [failing: string, ...healthy: string[]]

async function simulatedAccounts({ get }: Api): Promise<AccountIds> {
  const { body } = await get('/provider-accounts')
  const [first, second] = body.data
    .toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)
    .map(({ id }: { id: string }) => id)
  return [first, second]
}

async function stripeAndAdyen(api: Api): Promise<AccountIds> {
  const failing = await createEmulatedAccount(api, 'stripe')
  const [adyen, stripe] = [await addEmulatedAccount(api, 'adyen'), await addEmulatedAccount(api, 'stripe')]
  return [failing.id, adyen.id, stripe.id]
}

type PhaseReports = Omit<OutageReport, 'doubleCharges' | 'mismatches' | 'declines'> & {
  readonly results: PhaseResults
}

async function runPhases(
  outage: Outage,
  merchant: TestMerchant,
  configure: (changes: object) => Promise<unknown>,
): Promise<PhaseReports> {
  const load = startLoad(merchant, outage.ratePerSecond)
  // The first payments are slower.
  await sleep(1_000)
  load.discard()
  await sleep(outage.beforeSeconds * 1000)
  const before = load.takeResults()
  const outageStartedAt = new Date()
  await configure({ outage: true, outage_manner: outage.manner })
  await sleep(outage.outageSeconds * 1000)
  const during = load.takeResults()
  await configure({ outage: false })
  const outageEndedAt = new Date()
  const recoveredAt = outage.hasBreaker ? await waitUntilClosed(outage, merchant) : await sleep(2_000, null)
  await sleep(1_000)
  load.discard()
  await sleep(outage.beforeSeconds * 1000)
  const after = load.takeResults()
  await load.stop()
  const { openedAt } = await readBreaker(outage.databaseUrl, merchant)
  const results = { before: await before, during: await during, after: await after }
  return {
    results,
    before: summarizePhase(results.before),
    during: summarizePhase(results.during),
    after: summarizePhase(results.after),
    openedAfterMs: openedAt === null ? null : openedAt.getTime() - outageStartedAt.getTime(),
    recoveredAfterMs: recoveredAt === null ? null : recoveredAt.getTime() - outageEndedAt.getTime(),
  }
}

/**
 * Starts payments at a fixed rate, whether or not earlier ones have ended. `takeResults` waits for the
 * payments started since its last call and returns their results.
 */
function startLoad(merchant: TestMerchant, ratePerSecond: number) {
  let started: Promise<PaymentResult>[] = []
  let index = 0
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const targetCount = Math.floor(((performance.now() - startedMs) / 1000) * ratePerSecond)
    for (; index < targetCount; index += 1) started.push(merchant.pay(index))
  }, 5)
  const takeResults = () => {
    const results = Promise.all(started)
    started = []
    return results
  }
  return {
    takeResults,
    /** Ignores the payments since the last `takeResults`. */
    discard() {
      started = []
    },
    async stop() {
      clearInterval(timer)
      await takeResults()
    },
  }
}

type Breaker = { readonly state: string; readonly openedAt: Date | null; readonly closedAt: Date | null }

async function readBreaker(databaseUrl: string, { workspaceId, failing }: TestMerchant): Promise<Breaker> {
  const { rows } = await asOwner(databaseUrl, (client) =>
    client.query(
      `select state, opened_at as "openedAt", closed_at as "closedAt" from provider_health
       where workspace_id = $1 and provider_account_id = $2 and lane = 'authorize'`,
      [uuidOf(workspaceId), uuidOf(failing as Id<'provider_account'>)],
    ),
  )
  return rows[0] ?? { state: 'closed', openedAt: null, closedAt: null }
}

const recoveryTimeoutMs = 120_000

/** Waits until the breaker is closed, and returns when it closed; null if it never opened. */
async function waitUntilClosed(
  { databaseUrl, probeImmediately }: Outage,
  merchant: TestMerchant,
): Promise<Date | null> {
  if ((await readBreaker(databaseUrl, merchant)).openedAt === null) return null
  if (probeImmediately)
    await asOwner(databaseUrl, (client) =>
      client.query(
        `update provider_health set open_until_at = now(), next_probe_at = now() where state = 'open'`,
      ),
    )
  const deadlineMs = performance.now() + recoveryTimeoutMs
  for (;;) {
    const { state, closedAt } = await readBreaker(databaseUrl, merchant)
    if (state === 'closed') return closedAt
    if (performance.now() > deadlineMs) throw new Error('The breaker stayed open.')
    await sleep(100)
  }
}

/** Waits until no outcome is unknown. The next check of a payment may be minutes away, so checks are requested. */
async function waitUntilResolved({ api }: TestMerchant): Promise<void> {
  const deadlineMs = performance.now() + recoveryTimeoutMs
  for (;;) {
    const { body } = await api.get('/payments?status=processing&limit=20')
    if (body.data.length === 0) return
    if (performance.now() > deadlineMs) throw new Error('The outcome of a payment stayed unknown.')
    await Promise.all(body.data.map(({ id }: { id: string }) => api.post(`/payments/${id}/check`)))
    await sleep(100)
  }
}

type PaymentSum = { readonly payment_id: string; readonly approvals: number; readonly captured: number }

async function compareWithLedger(
  simulator: Simulator,
  { api }: TestMerchant,
): Promise<Pick<OutageReport, 'doubleCharges' | 'mismatches'>> {
  const { sums } = await simulator.control<{ sums: readonly PaymentSum[] }>('GET', 'sums')
  const capturedBy = new Map(sums.map(({ payment_id, captured }) => [payment_id, captured]))
  const payments = await listPayments(api)
  const mismatches = payments
    .filter(({ id, amount_captured }) => amount_captured !== (capturedBy.get(id) ?? 0))
    .map(({ id, summary }) => `${id}: ${summary}`)
  return { doubleCharges: sums.filter(({ approvals }) => approvals > 1).length, mismatches }
}

type ListedPayment = { readonly id: string; readonly amount_captured: number; readonly summary: string }

async function listPayments({ get }: Api): Promise<readonly ListedPayment[]> {
  const payments: ListedPayment[] = []
  for (let path: string | null = '/payments?limit=100'; path !== null; ) {
    const { body } = await get(path)
    payments.push(...body.data)
    path = body.has_more ? `/payments?limit=100&starting_after=${body.data.at(-1).id}` : null
  }
  return payments
}

function summarizePhase(all: readonly PaymentResult[]): Phase {
  const results = all.filter(({ decline }) => decline === null)
  const durations = results.map(({ durationMs }) => Math.round(durationMs)).toSorted((a, b) => a - b)
  const percentile = (share: number) =>
    durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0
  const approved = results.filter((result) => result.approved).length
  const overloaded = results.filter((result) => result.overloaded).length
  const accepted = results.length - overloaded
  return {
    payments: results.length,
    overloaded,
    approved,
    unresolved: results.filter((result) => result.unresolved).length,
    failedOver: results.filter((result) => result.failedOver).length,
    rate: accepted === 0 ? 0 : approved / accepted,
    triedFailing: results.filter((result) => result.triedFailing).length,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  }
}
