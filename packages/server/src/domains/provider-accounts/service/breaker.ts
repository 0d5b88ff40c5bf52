/** Writes what becomes of a breaker, and tells of it. One row for each account and lane, for all processes. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { afterSignal, phaseOf, type Signal } from '../breaker.ts'
import {
  providerAccountCredentialsRefused,
  providerAccountDegraded,
  providerAccountRecovered,
} from '../events.ts'
import type { Lane } from '../health.ts'
import { lockBreaker, type StoredBreaker, writeBreaker } from '../store/health.ts'
import * as store from '../store.ts'
import { healthOf, shown, withHealth } from './shown.ts'

type Account = Ref<'provider_account'>

/** A breaker as it is afterwards, whoever made it so, and how long it is until it is probed. */
export type Signalled = StoredBreaker & { readonly opensForMs: number | null }

export function signalBreaker(deps: Deps, account: Account, lane: Lane, signal: Signal): Promise<Signalled> {
  return transact(deps, systemCaller(account), async (tx) => {
    const after = await pull(deps, tx, await lockBreaker(tx, account.id, lane), signal)
    const { state, openUntilAt } = after
    const isOpen = state === 'open' && openUntilAt !== null
    return { ...after, opensForMs: isOpen ? openUntilAt.getTime() - tx.now.getTime() : null }
  })
}

/** The only writer of a breaker's state. The caller holds the lock. */
export async function pull(
  deps: Deps,
  tx: Tx,
  before: StoredBreaker,
  signal: Signal,
): Promise<StoredBreaker> {
  const changed = afterSignal(before, signal, tx.now)
  if (changed === null) return before
  const after = { ...before, ...changed }
  await writeBreaker(tx, before, after)
  // Of an account that is archived nobody wants to hear that it is well.
  if (before.state !== after.state && signal !== 'given_up') await tellOf(deps, tx, before, after)
  return { ...after, version: before.version + 1 }
}

async function tellOf(deps: Deps, tx: Tx, before: StoredBreaker, after: StoredBreaker): Promise<void> {
  const account = await store.lockAccount(tx, after.accountId)
  const touched = await store.updateAccount(tx, account, {})
  const now = (await healthOf(deps, tx, [account.id]))(account.id)
  const wasLane = { phase: phaseOf(before, tx.now), nextProbeAt: before.nextProbeAt }
  const was = { ...now, breakers: { ...now.breakers, [before.lane]: wasLane } }
  tx.emit(after.state === 'open' ? providerAccountDegraded : providerAccountRecovered, {
    before: withHealth(deps, tx.caller.mode, account, was),
    after: withHealth(deps, tx.caller.mode, touched, now),
  })
}

/** An alarm that is repeated by the hour, and at once if a new secret is refused too. */
const againSeconds = 3600

export function tellOfRefusal(deps: Deps, { workspaceId, id }: Account, lane: Lane): Promise<void> {
  return transact(deps, systemCaller({ workspaceId, id }), async (tx) => {
    const breaker = await lockBreaker(tx, id, lane)
    const before = await store.lockAccount(tx, id)
    const toldAt = breaker.credentialsRefusedAt
    const isOld =
      toldAt === null ||
      addSeconds(toldAt, againSeconds) <= tx.now ||
      (before.secretRotatedAt !== null && before.secretRotatedAt > toldAt)
    if (!isOld) return
    await writeBreaker(tx, breaker, { ...breaker, credentialsRefusedAt: tx.now })
    const after = await store.updateAccount(tx, before, {})
    tx.emit(providerAccountCredentialsRefused, { after: await shown(deps, tx, after) })
  })
}
