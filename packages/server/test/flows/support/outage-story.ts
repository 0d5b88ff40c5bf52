// A provider goes out of service under a steady stream of payments, and comes back. Told twice over: with the
// breaker, and with one that never opens. Payments come at their rate whether the ones before are answered or not.

import { setTimeout as sleep } from 'node:timers/promises'
import { startSimulator } from '../../../../simulator/src/index.ts'
import { buildApp } from '../../../src/app.ts'
import { compose, type Switchyard } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import type { Deps } from '../../../src/deps.ts'
import { type Id, idFromUuid, idMaker, uuidOf } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { settle } from '../../../src/platform/engine/settle.ts'
import { makeWorkspace } from '../../../src/setup.ts'
import { works } from '../../../src/worker.ts'
import { testMasterKeys } from '../../support/master-keys.ts'

export type Outage = {
  readonly databaseUrl: string
  readonly hasBreaker: boolean
  /** `plain`: it says that it does nothing. `reset`: it hangs up, and nobody knows. */
  readonly manner: 'plain' | 'reset'
  readonly ratePerSecond: number
  readonly beforeSeconds: number
  readonly outageSeconds: number
  /** For those who have no half minute: when the provider is back, its breaker is probed at once. */
  readonly probesAtOnce: boolean
}

/** What became of the payments of a phase, when each was answered. */
export type Phase = {
  readonly payments: number
  /** Those that a machine that was too busy did not take in: they were not payments. */
  readonly turnedAway: number
  readonly approved: number
  /** Of those that were taken in. */
  readonly rate: number
  /** Those for which the account was asked that fails. */
  readonly askedFailing: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export type Told = {
  readonly before: Phase
  readonly during: Phase
  readonly after: Phase
  /** Since the outage began; null if it did not open. */
  readonly openedAfterMs: number | null
  /** Since the provider was back; null if it never opened. */
  readonly recoveredAfterMs: number | null
}

export async function tellOutage(outage: Outage): Promise<Told> {
  const simulator = await startSimulator()
  const switchyard = open(outage.databaseUrl, simulator.url)
  const deps: Deps = outage.hasBreaker ? switchyard.deps : { ...switchyard.deps, health: blind }
  const app = buildApp({ ...switchyard, deps }, 'test')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  switchyard.health.start()
  const worker = startWorker(deps)
  try {
    const shop = await openShop(deps, address)
    const configure = (changes: object) =>
      simulator.control('PUT', `${shop.failing}/config`, { webhooks: 'off', ...changes })
    await configure({})
    return await play(outage, shop, configure)
  } finally {
    await worker.stop()
    await app.close()
    await switchyard.close()
    await simulator.stop()
  }
}

function open(databaseUrl: string, simulatorUrl: string): Switchyard {
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

/** Sees nothing, so nobody is ever asked last. */
const blind: Deps['health'] = {
  note() {},
  isOpen: () => false,
  mayProbe: () => false,
  began() {},
}

/** What is due is done, again and again, as a worker would. */
function startWorker(deps: Deps) {
  let stopping = false
  const ended = (async () => {
    while (!stopping) {
      await settle(deps, works, { maxRounds: 50 }).catch(() => {})
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

type Shop = {
  readonly workspaceId: Id<'workspace'>
  /** The account that is asked first, and that fails. */
  readonly failing: string
  pay(nth: number): Promise<Paid>
}

type Paid = {
  readonly turnedAway: boolean
  readonly approved: boolean
  readonly askedFailing: boolean
  readonly tookMs: number
}

/** Kept cards of two brands, so that payments do not all wait for one card. */
const numbers = ['4242424242424242', '378282246310005']

async function openShop(deps: Deps, address: string): Promise<Shop> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const made = await makeWorkspace(deps, { organizationId, mode: 'test', name: 'A shop' })
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' }
    const answer = await fetch(address + path, { method, headers, body: body ? JSON.stringify(body) : null })
    // biome-ignore lint/suspicious/noExplicitAny: what it is, the call says.
    return (await answer.json()) as any
  }
  const methods = await Promise.all(
    numbers.map(async (number) => {
      const card = { number, exp_month: 12, exp_year: new Date().getFullYear() + 4 }
      const { id: token } = await call('POST', '/tokens', { type: 'card', card })
      const { id } = await call('POST', '/payment-methods', { token })
      const { id: customer_id } = await call('POST', '/customers', { name: 'Ada Lovelace' })
      await call('POST', `/payment-methods/${id}/attach`, { customer_id })
      return id as string
    }),
  )
  const { data } = await call('GET', '/provider-accounts')
  const [failing, well] = data
    .toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)
    .map(({ id }: { id: string }) => id)
  const action = { type: 'priority', targets: [failing, well] }
  await call('POST', '/payment-routes', { name: 'Cards', default: action, is_default: true })
  const pay = async (nth: number): Promise<Paid> => {
    const startedMs = performance.now()
    // No two amounts are the same: networks count how often a card is tried with one.
    const body = { amount: 1_000 + nth, currency: 'eur', payment_method_id: methods[nth % methods.length] }
    const payment = await call('POST', '/payments', body)
    return {
      turnedAway: payment.object !== 'payment' && payment.resource_id === undefined,
      approved: payment.status === 'succeeded',
      askedFailing: payment.attempts_count > 1 || payment.provider_account_id === failing,
      tookMs: performance.now() - startedMs,
    }
  }
  return { workspaceId: made.workspaceId, failing, pay }
}

async function play(
  outage: Outage,
  shop: Shop,
  configure: (changes: object) => Promise<unknown>,
): Promise<Told> {
  const stream = startStream(shop, outage.ratePerSecond)
  // What is needed for the first time takes longer.
  await sleep(1_000)
  stream.skip()
  await sleep(outage.beforeSeconds * 1000)
  const before = stream.cut()
  const outSince = new Date()
  await configure({ outage: true, outage_manner: outage.manner })
  await sleep(outage.outageSeconds * 1000)
  const during = stream.cut()
  await configure({ outage: false })
  const backSince = new Date()
  const recoveredAt = outage.hasBreaker ? await recovery(outage, shop) : await sleep(2_000, null)
  await sleep(1_000)
  stream.skip()
  await sleep(outage.beforeSeconds * 1000)
  const after = stream.cut()
  await stream.stop()
  const { openedAt } = await breakerOf(outage.databaseUrl, shop)
  return {
    ...{ before: phaseOf(await before), during: phaseOf(await during), after: phaseOf(await after) },
    openedAfterMs: openedAt === null ? null : openedAt.getTime() - outSince.getTime(),
    recoveredAfterMs: recoveredAt === null ? null : recoveredAt.getTime() - backSince.getTime(),
  }
}

/** Payments by the clock, answered or not. `cut` gives those of the time since the last cut, once all are answered. */
function startStream(shop: Shop, ratePerSecond: number) {
  let begun: Promise<Paid>[] = []
  let nth = 0
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const wanted = Math.floor(((performance.now() - startedMs) / 1000) * ratePerSecond)
    for (; nth < wanted; nth += 1) begun.push(shop.pay(nth))
  }, 5)
  const cut = () => {
    const cutOff = begun
    begun = []
    return Promise.all(cutOff)
  }
  return {
    cut,
    /** What was begun since the last cut is of no interest. */
    skip() {
      begun = []
    },
    async stop() {
      clearInterval(timer)
      await cut()
    },
  }
}

type Breaker = { readonly state: string; readonly openedAt: Date | null; readonly closedAt: Date | null }

async function breakerOf(databaseUrl: string, { workspaceId, failing }: Shop): Promise<Breaker> {
  const { rows } = await asOwner(databaseUrl, (client) =>
    client.query(
      `select state, opened_at as "openedAt", closed_at as "closedAt" from provider_health
       where workspace_id = $1 and provider_account_id = $2 and lane = 'authorize'`,
      [uuidOf(workspaceId), uuidOf(failing as Id<'provider_account'>)],
    ),
  )
  return rows[0] ?? { state: 'closed', openedAt: null, closedAt: null }
}

const patienceMs = 120_000

/** When it was closed again; null if it never opened. */
async function recovery({ databaseUrl, probesAtOnce }: Outage, shop: Shop): Promise<Date | null> {
  if ((await breakerOf(databaseUrl, shop)).openedAt === null) return null
  if (probesAtOnce)
    await asOwner(databaseUrl, (client) =>
      client.query(
        `update provider_health set open_until_at = now(), next_probe_at = now() where state = 'open'`,
      ),
    )
  const giveUpMs = performance.now() + patienceMs
  for (;;) {
    const { state, closedAt } = await breakerOf(databaseUrl, shop)
    if (state === 'closed') return closedAt
    if (performance.now() > giveUpMs) throw new Error('The breaker stayed open.')
    await sleep(100)
  }
}

function phaseOf(paid: readonly Paid[]): Phase {
  const took = paid.map(({ tookMs }) => Math.round(tookMs)).toSorted((a, b) => a - b)
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
  const approved = paid.filter((one) => one.approved).length
  const turnedAway = paid.filter((one) => one.turnedAway).length
  const takenIn = paid.length - turnedAway
  return {
    payments: paid.length,
    ...{ turnedAway, approved },
    rate: takenIn === 0 ? 0 : approved / takenIn,
    askedFailing: paid.filter((one) => one.askedFailing).length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
}
