/**
 * Writes changes of circuit breakers, and emits events. All processes share one row per account and lane.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { afterSignal, phaseOf, type Signal } from '../breaker.ts'
import {
  providerAccountCredentialsRefused,
  providerAccountDegraded,
  providerAccountRecovered,
} from '../events.ts'
import type { Lane } from '../health.ts'
import { clearCredentialsRefusal, lockBreaker, type StoredBreaker, writeBreaker } from '../store/health.ts'
import * as store from '../store.ts'
import { healthOf, loadAccountDetails, withHealth } from './account-details.ts'

type Account = Ref<'provider_account'>

/** The breaker after the signal, and the remaining open time; null if the breaker is closed. */
export type BreakerAfterSignal = StoredBreaker & { readonly opensForMs: number | null }

export function signalBreaker(
  deps: Deps,
  account: Account,
  lane: Lane,
  signal: Signal,
): Promise<BreakerAfterSignal> {
  return transact(deps, systemCaller(account), async (tx) => {
    const after = await transition(deps, tx, await lockBreaker(tx, account.id, lane), signal)
    const { state, openUntilAt } = after
    const isOpen = state === 'open' && openUntilAt !== null
    return { ...after, opensForMs: isOpen ? openUntilAt.getTime() - tx.now.getTime() : null }
  })
}

/** The only function that changes the breaker state. The caller has locked the breaker. */
export async function transition(
  deps: Deps,
  tx: Tx,
  before: StoredBreaker,
  signal: Signal,
): Promise<StoredBreaker> {
  const changed = afterSignal(before, signal, tx.now)
  if (changed === null) return before
  const after = { ...before, ...changed }
  await writeBreaker(tx, before, after)
  // No `recovered` event is emitted for an archived account.
  if (before.state !== after.state && signal !== 'given_up') await emitBreakerEvent(deps, tx, before, after)
  return { ...after, version: before.version + 1 }
}

async function emitBreakerEvent(
  deps: Deps,
  tx: Tx,
  before: StoredBreaker,
  after: StoredBreaker,
): Promise<void> {
  const account = await store.lockAccount(tx, after.accountId)
  const updated = await store.updateAccount(tx, account, {})
  const currentHealth = (await healthOf(deps, tx, [account.id]))(account.id)
  const laneBefore = { phase: phaseOf(before, tx.now), nextProbeAt: before.nextProbeAt }
  const healthBefore = {
    ...currentHealth,
    breakers: { ...currentHealth.breakers, [before.lane]: laneBefore },
  }
  tx.emit(after.state === 'open' ? providerAccountDegraded : providerAccountRecovered, {
    before: withHealth(deps, tx.caller.mode, account, healthBefore),
    after: withHealth(deps, tx.caller.mode, updated, currentHealth),
  })
}

/**
 * The event is repeated hourly, and immediately if a new secret is rejected too: a rotation clears the
 * refusal.
 */
const repeatAfterSeconds = 3600

export function emitCredentialsRefused(deps: Deps, { workspaceId, id }: Account, lane: Lane): Promise<void> {
  return transact(deps, systemCaller({ workspaceId, id }), async (tx) => {
    const breaker = await lockBreaker(tx, id, lane)
    const before = await store.lockAccount(tx, id)
    const lastEmittedAt = breaker.credentialsRefusedAt
    if (lastEmittedAt !== null && addSeconds(lastEmittedAt, repeatAfterSeconds) > tx.now) return
    const credentialsRefusedSince = breaker.credentialsRefusedSince ?? tx.now
    await writeBreaker(tx, breaker, { ...breaker, credentialsRefusedSince, credentialsRefusedAt: tx.now })
    const after = await store.updateAccount(tx, before, {})
    tx.emit(providerAccountCredentialsRefused, { after: await loadAccountDetails(deps, tx, after) })
  })
}

/** Called when a call succeeds after credentials were rejected. */
export function recordAcceptedCredentials(deps: Deps, { workspaceId, id }: Account): Promise<void> {
  return transact(deps, systemCaller({ workspaceId, id }), (tx) => clearCredentialsRefusal(tx, id))
}
