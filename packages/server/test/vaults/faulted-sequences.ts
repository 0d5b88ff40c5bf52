// Random sequences of payments with cards in a simulated vault that fails before, during and after it forwards a call. The
// ledgers of the emulated providers must agree with the payments: at most one approval, and the amounts of the payment.

import { type Simulator, startSimulator } from '../../../simulator/src/index.ts'
import { vaultFaults } from '../../../simulator/src/vaults/vault-state.ts'
import { buildApp } from '../../src/app.ts'
import { compose } from '../../src/compose.ts'
import type { Deps } from '../../src/deps.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import type { Log } from '../../src/platform/log.ts'
import { configOf, disabledHealth, letTimePass, newWorkspace } from '../cuts/installation.ts'
import { tablesContaining } from '../support/database-search.ts'
import type { Api } from '../support/emulated-accounts.ts'
import { storeAtVault, useVault, type VaultName } from '../support/vaults.ts'

export type SequenceReport = {
  readonly payments: number
  readonly succeeded: number
  readonly failed: number
  /** The payments that need review, with their plans. */
  readonly inReview: readonly string[]
  /** The number of calls that the vaults received for forwarding. */
  readonly vaultCalls: number
  readonly failures: readonly string[]
}

const numbers = {
  approved: '4242424242424242',
  /** The first account is too busy, so the second one is tried. */
  failsOver: '4000000050090002',
  declined: '4000000000510000',
} as const
const providers = ['stripe', 'adyen', 'checkout_com', 'paypal'] as const
const paymentsPerSequence = 4

/** Runs the sequences one after the other, because the faults of the simulated vault apply to its next calls. */
export async function runFaultedSequences(
  databaseUrl: string,
  { sequences, seed }: { readonly sequences: number; readonly seed: number },
): Promise<SequenceReport> {
  const simulator = await startSimulator()
  const clock = manualClock(new Date())
  const logged: string[] = []
  const addresses = { live: '', test: '' }
  const switchyard = compose(configOf(databaseUrl, simulator.url, addresses), {
    clock,
    log: recordingLog(logged),
    publish: () => {},
    tokenCacheMs: 3_600_000,
    isOverloaded: () => false,
  })
  const deps: Deps = { ...switchyard.deps, health: disabledHealth }
  const app = buildApp({ ...switchyard, deps }, 'test')
  addresses.test = await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const random = randomFrom(seed)
    const payments: Created[] = []
    for (let nth = 0; nth < sequences; nth += 1)
      payments.push(...(await runSequence(simulator, await newWorkspace(deps, app), random)))
    // Long enough that a lookup is conclusive at every provider.
    for (const seconds of [30, 600, 7_200, 90_000, 90_000, 700_000])
      await letTimePass(deps, { clock, simulator }, seconds)
    const report = await compare(simulator, payments)
    await switchyard.flushRequestLog()
    const leaks = await findLeaks(databaseUrl, logged)
    const { calls } = await simulator.control<{ calls: number }>('GET', 'vault-calls')
    return { ...report, vaultCalls: calls, failures: [...report.failures, ...leaks] }
  } finally {
    const closed = app.close()
    app.server.closeAllConnections()
    await closed
    await switchyard.close()
    await simulator.stop()
  }
}

type Created = { readonly workspace: Api; readonly id: string; readonly plan: string }
type Random = { next(): number; pick<T>(items: readonly T[]): T }

async function runSequence(simulator: Simulator, workspace: Api, random: Random): Promise<Created[]> {
  const vault: VaultName = random.pick(['basis_theory', 'vgs'])
  const first = random.pick(providers)
  const second = random.pick(providers.filter((provider) => provider !== first))
  await useVault(workspace, vault, [first, second])
  const created: Created[] = []
  for (let nth = 0; nth < paymentsPerSequence; nth += 1) {
    const card = random.pick(['approved', 'approved', 'failsOver', 'declined'] as const)
    const faults = Array.from({ length: 1 + Math.floor(random.next() * 3) }, () =>
      random.pick([...vaultFaults, null]),
    )
    const token = await workspace.post('/tokens', await storeAtVault(simulator.url, vault, numbers[card]))
    if (token.status !== 201) throw new Error(`POST /tokens: ${JSON.stringify(token.body)}`)
    await simulator.control('PUT', 'vault-faults', { faults })
    const capture_method = random.pick(['automatic', 'manual'])
    const { status, body } = await workspace.post('/payments', {
      amount: 1000 + nth,
      currency: 'eur',
      token: token.body.id,
      capture_method,
    })
    const plan = `${vault}, ${first} then ${second}, ${card}, ${capture_method}, ${faults.join(' ')}`
    created.push({ workspace, id: status === 402 ? body.resource_id : body.id, plan })
  }
  await simulator.control('PUT', 'vault-faults', { faults: [] })
  return created
}

type Totals = {
  readonly approvals: number
  readonly captured: number
  readonly voided: number
  readonly authorized: number
}

async function compare(simulator: Simulator, payments: readonly Created[]) {
  const failures: string[] = []
  const inReview: string[] = []
  const counts = { succeeded: 0, failed: 0 }
  for (const { workspace, id, plan } of payments) {
    const { body: payment } = await workspace.get(`/payments/${id}`)
    const { sums } = await simulator.control<{ sums: readonly Totals[] }>('GET', `sums?payment_id=${id}`)
    const fault = faultOf(payment, sums[0])
    if (fault !== null) failures.push(`${id} (${plan}): ${fault}`)
    if (payment.review !== null) inReview.push(`${payment.review.reason ?? payment.review} ${plan}`)
    else if (payment.status === 'failed' || payment.status === 'cancelled') counts.failed += 1
    else counts.succeeded += 1
  }
  return { payments: payments.length, ...counts, inReview, failures }
}

type ComparedPayment = {
  readonly status: string
  readonly review: unknown
  readonly amount_captured: number
}

/** Null if the ledger agrees. */
function faultOf(
  { status, review, amount_captured: captured }: ComparedPayment,
  totals: Totals | undefined,
): string | null {
  const {
    approvals,
    captured: inLedger,
    authorized,
    voided,
  } = totals ?? {
    approvals: 0,
    captured: 0,
    authorized: 0,
    voided: 0,
  }
  if (approvals > 1) return `${approvals} approvals`
  if (review !== null) return null
  if (!['succeeded', 'requires_capture', 'failed', 'cancelled'].includes(status)) return `still ${status}`
  if (captured !== inLedger) return `captured ${captured}, but ${inLedger} in the ledger`
  const keepsMoney = inLedger > 0 || authorized > voided
  if ((status === 'failed' || status === 'cancelled') && keepsMoney) return `${status}, but approved`
  return null
}

async function findLeaks(databaseUrl: string, logged: readonly string[]): Promise<string[]> {
  const all = Object.values(numbers)
  const tables = await tablesContaining(databaseUrl, ...all)
  const lines = logged.filter((line) => all.some((number) => line.includes(number)))
  return [
    ...tables.map((table) => `A card number is in the table ${table}.`),
    ...lines.map(() => 'A card number is in the log.'),
  ]
}

function recordingLog(lines: string[]): Log {
  const record = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
  return { debug: record, info: record, warn: record, error: record }
}

/** Mulberry32, a small random number generator. The same seed always produces the same numbers. */
function randomFrom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return { next, pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number] }
}
