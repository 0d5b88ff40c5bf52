// A provider outage under constant load, with and without the circuit breaker. The load is open-loop:
// payments start at a fixed rate, whether or not earlier ones have finished.

import { setTimeout as sleep } from 'node:timers/promises'
import { startSimulator } from '../../../../simulator/src/index.ts'
import { buildApp } from '../../../src/app.ts'
import { compose, type Switchyard } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import type { Deps } from '../../../src/deps.ts'
import { type Id, idFromUuid, idMaker, uuidOf } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { runAllDueWork } from '../../../src/platform/engine/run-due-work.ts'
import { setUpWorkspace } from '../../../src/setup.ts'
import { workTypes } from '../../../src/work-types.ts'
import { testMasterKeys } from '../../support/master-keys.ts'

export type Outage = {
  readonly databaseUrl: string
  readonly hasBreaker: boolean
  /**
   * `plain`: the provider responds with an error. `reset`: it closes the connection, and the outcome is
   * unknown.
   */
  readonly manner: 'plain' | 'reset'
  readonly ratePerSecond: number
  readonly beforeSeconds: number
  readonly outageSeconds: number
  /** Probes as soon as the provider is available again, instead of up to half a minute later. */
  readonly probeImmediately: boolean
}

/** The results of the payments of a phase, as returned by the API. */
export type Phase = {
  readonly payments: number
  /** Requests that were rejected because the machine was too busy. They created no payments. */
  readonly overloaded: number
  readonly approved: number
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
    const merchant = await createMerchant(deps, address)
    const configure = (changes: object) =>
      simulator.control('PUT', `${merchant.failing}/config`, { webhooks: 'off', ...changes })
    await configure({})
    return await runPhases(outage, merchant, configure)
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
  pay(index: number): Promise<PaymentResult>
}

type PaymentResult = {
  readonly overloaded: boolean
  readonly approved: boolean
  readonly triedFailing: boolean
  readonly durationMs: number
}

/** Saved cards of two brands, so that payments do not all wait for one card. */
const cardNumbers = ['4242424242424242', '378282246310005']

async function createMerchant(deps: Deps, address: string): Promise<TestMerchant> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const workspace = await setUpWorkspace(deps, { organizationId, mode: 'test', name: 'A shop' })
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' }
    const response = await fetch(address + path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    })
    // biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of the body.
    return (await response.json()) as any
  }
  const methods = await Promise.all(
    cardNumbers.map(async (number) => {
      const card = { number, exp_month: 12, exp_year: new Date().getFullYear() + 4 }
      const { id: token } = await call('POST', '/tokens', { type: 'card', card })
      const { id } = await call('POST', '/payment-methods', { token })
      const { id: customer_id } = await call('POST', '/customers', { name: 'Ada Lovelace' })
      await call('POST', `/payment-methods/${id}/attach`, { customer_id })
      return id as string
    }),
  )
  const { data } = await call('GET', '/provider-accounts')
  const [failing, healthy] = data
    .toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)
    .map(({ id }: { id: string }) => id)
  const action = { type: 'priority', targets: [failing, healthy] }
  await call('POST', '/payment-routes', { name: 'Cards', default: action, is_default: true })
  const pay = async (index: number): Promise<PaymentResult> => {
    const startedMs = performance.now()
    // Each amount is different: networks count how often a card is tried with the same amount.
    const body = {
      amount: 1_000 + index,
      currency: 'eur',
      payment_method_id: methods[index % methods.length],
    }
    const payment = await call('POST', '/payments', body)
    return {
      overloaded: payment.object !== 'payment' && payment.resource_id === undefined,
      approved: payment.status === 'succeeded',
      triedFailing: payment.attempts_count > 1 || payment.provider_account_id === failing,
      durationMs: performance.now() - startedMs,
    }
  }
  return { workspaceId: workspace.workspaceId, failing, pay }
}

async function runPhases(
  outage: Outage,
  merchant: TestMerchant,
  configure: (changes: object) => Promise<unknown>,
): Promise<OutageReport> {
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
  return {
    before: summarizePhase(await before),
    during: summarizePhase(await during),
    after: summarizePhase(await after),
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

function summarizePhase(results: readonly PaymentResult[]): Phase {
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
    rate: accepted === 0 ? 0 : approved / accepted,
    triedFailing: results.filter((result) => result.triedFailing).length,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  }
}
