/** Probes accounts whose breaker has been open long enough. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { type Lane, lanes } from '../health.ts'
import { lockBreaker, type StoredBreaker, writeBreaker } from '../store/health.ts'
import * as store from '../store.ts'
import { signalBreaker, transition } from './breaker.ts'
import { openAccount } from './open.ts'

/** Longer than a probe takes, so that no other process probes at the same time. */
const claimSeconds = 15
const timeoutMs = 10_000
/** The interval for a provider without a health check, where only payments can show that it recovered. */
const withoutHealthCheckSeconds = 60

/** Worker: runs one health check. Its result counts for every due lane. */
export async function probeProviderAccount(deps: Deps, ref: Ref<'provider_account'>): Promise<void> {
  const due = await transact(deps, systemCaller(ref), (tx) => claimDueLanes(deps, tx, ref.id))
  if (due.length === 0) return
  const { account, provider, config } = await openAccount(deps, ref.workspaceId, ref.id)
  if (provider.health === undefined) {
    await transact(deps, systemCaller(ref), async (tx) => {
      for (const lane of due)
        await postponeProbe(tx, await lockBreaker(tx, ref.id, lane), withoutHealthCheckSeconds)
    })
    return
  }
  const { confirmed } = await deps.performer.confirm({
    provider,
    step: 'health',
    input: null,
    account: { id: account.id, mode: systemCaller(ref).mode, config },
    deadlineMs: monotonicMs() + timeoutMs,
  })
  for (const lane of due) await signalBreaker(deps, ref, lane, confirmed ? 'probe_good' : 'probe_bad')
}

/**
 * The lanes that are due now. A message may be late or a duplicate; the rows show whether there is anything
 * to do.
 */
async function claimDueLanes(
  deps: Deps,
  tx: Tx,
  id: Ref<'provider_account'>['id'],
): Promise<readonly Lane[]> {
  const { status } = await store.requireAccount(tx, id)
  const due: Lane[] = []
  for (const lane of lanes) {
    const breaker = await lockBreaker(tx, id, lane)
    if (breaker.nextProbeAt === null || breaker.nextProbeAt > tx.now) continue
    if (status === 'archived') await transition(deps, tx, breaker, 'given_up')
    else {
      await postponeProbe(tx, breaker, claimSeconds)
      due.push(lane)
    }
  }
  return due
}

async function postponeProbe(tx: Tx, breaker: StoredBreaker, seconds: number): Promise<void> {
  if (breaker.state !== 'open') return
  await writeBreaker(tx, breaker, { ...breaker, nextProbeAt: addSeconds(tx.now, seconds) })
}
