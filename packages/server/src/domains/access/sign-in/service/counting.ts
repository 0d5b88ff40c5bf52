/**
 * Counts sign-in attempts in the control plane, by device or by network and email address. See
 * `attempt-limits.ts`.
 */
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { changeControl } from '../../../../platform/db/control.ts'
import type { ControlTx } from '../../../../platform/db/control-unit.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import {
  type AttemptDecision,
  countAttempt,
  counterKey,
  deviceLimit,
  emailLimit,
  type Limit,
  networkLimit,
  pairLimit,
  subtractAttempt,
} from '../attempt-limits.ts'
import { deleteCount, lockCount, updateCount } from '../store/attempt-counts.ts'

/** The counters that an attempt incremented, so that a successful attempt can be subtracted from them. */
export type CountedAttempt = {
  /** Whether this attempt, if it fails, locks the device or the network out of the account. */
  readonly causesLockout: boolean
  /** Counters that a successful attempt clears. */
  readonly ownKeys: readonly Buffer[]
  /** Counters that are shared with others: a successful attempt only subtracts itself. */
  readonly sharedKeys: readonly Buffer[]
}

/** Counts an attempt from a browser that has signed in with this email address before. */
export async function countDeviceAttempt(deps: Deps, deviceId: string): Promise<CountedAttempt> {
  const key = counterKey('device', deviceId)
  const decision = await changeControl(deps, (db, now) => count(db, [{ key, limit: deviceLimit }], now))
  return { causesLockout: requireCounted(decision).causesLockout, ownKeys: [key], sharedKeys: [] }
}

/** Counts an attempt from any other browser. `networks` starts with the narrowest. */
export async function countSignInAttempt(
  deps: Deps,
  email: string,
  networks: readonly string[],
): Promise<CountedAttempt> {
  const networkCounts = networkCounters(networks)
  const pair = { key: counterKey('pair', `${email} ${networks.at(-1)}`), limit: pairLimit }
  const total = { key: counterKey('email', email), limit: emailLimit }
  const decision = await changeControl(deps, async (db, now) => {
    // Networks first, so that a flood of invented email addresses is blocked here and leaves no rows.
    const byNetwork = await count(db, networkCounts, now)
    // A blocked attempt is not counted for the email address.
    return byNetwork.kind === 'blocked' ? byNetwork : count(db, [total, pair], now)
  })
  const sharedKeys = [...networkCounts.map(({ key }) => key), total.key]
  return { causesLockout: requireCounted(decision).causesLockout, ownKeys: [pair.key], sharedKeys }
}

/** Counts an attempt without an email address: with a link, an invitation or a passkey. */
export async function countNetworkAttempt(deps: Deps, networks: readonly string[]): Promise<CountedAttempt> {
  const counters = networkCounters(networks)
  requireCounted(await changeControl(deps, (db, now) => count(db, counters, now)))
  return { causesLockout: false, ownKeys: [], sharedKeys: counters.map(({ key }) => key) }
}

type Counter = { readonly key: Buffer; readonly limit: Limit }

/** The widest network first, so that rows are always locked in the same order. */
function networkCounters(networks: readonly string[]): Counter[] {
  const counterOf = (network: string, width: number) => ({
    key: counterKey('address', network),
    limit: networkLimit(width),
  })
  return networks.map(counterOf).toReversed()
}

/** Increments all counters, or none if one of them blocks the attempt. */
async function count(db: Db, counters: readonly Counter[], now: Date): Promise<AttemptDecision> {
  const decisions: AttemptDecision[] = []
  for (const { key, limit } of counters)
    decisions.push(countAttempt(await lockCount(db, key, now), now, limit))
  const waits = decisions.flatMap((decision) => (decision.kind === 'blocked' ? [decision.waitSeconds] : []))
  if (waits.length > 0) return { kind: 'blocked', waitSeconds: Math.max(...waits) }
  for (const [nth, decision] of decisions.entries())
    if (decision.kind === 'counted') await updateCount(db, (counters[nth] as Counter).key, decision.attempts)
  return (
    decisions.find((decision) => decision.kind === 'counted' && decision.causesLockout) ??
    (decisions[0] as AttemptDecision)
  )
}

function requireCounted(decision: AttemptDecision): Extract<AttemptDecision, { kind: 'counted' }> {
  if (decision.kind === 'blocked')
    return refuse('sign_in_locked', { retryAfterSeconds: decision.waitSeconds })
  return decision
}

/** Clears or decrements the counters after a successful attempt. */
export async function uncountAttempt(tx: ControlTx, counted: CountedAttempt): Promise<void> {
  await subtractFromAll(tx.db, counted, tx.now)
}

/** Like `uncountAttempt`, in a transaction of its own. */
export async function uncountAttemptNow(deps: Deps, counted: CountedAttempt): Promise<void> {
  await changeControl(deps, (db, now) => subtractFromAll(db, counted, now))
}

async function subtractFromAll(db: Db, { sharedKeys, ownKeys }: CountedAttempt, now: Date): Promise<void> {
  for (const key of sharedKeys) {
    const attempts = await lockCount(db, key, now)
    if (attempts !== null) await updateCount(db, key, subtractAttempt(attempts))
  }
  for (const key of ownKeys) await deleteCount(db, key)
}
