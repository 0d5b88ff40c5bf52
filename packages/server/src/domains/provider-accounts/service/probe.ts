/** Asks an account whose breaker has been open for long enough whether it is well again. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { type Lane, lanes } from '../health.ts'
import { lockBreaker, type StoredBreaker, writeBreaker } from '../store/health.ts'
import * as store from '../store.ts'
import { pull, signalBreaker } from './breaker.ts'
import { openAccount } from './open.ts'

/** Longer than a probe takes: meanwhile nobody else asks. */
const claimSeconds = 15
const patienceMs = 10_000
/** Of a provider that cannot be asked, only payments can tell. */
const unaskedSeconds = 60

/** Work: each turn is one question, whose answer counts for every lane that is due. */
export async function probeProviderAccount(deps: Deps, ref: Ref<'provider_account'>): Promise<void> {
  const due = await transact(deps, systemCaller(ref), (tx) => claim(deps, tx, ref.id))
  if (due.length === 0) return
  const { account, provider, config } = await openAccount(deps, ref.workspaceId, ref.id)
  if (provider.health === undefined) {
    await transact(deps, systemCaller(ref), async (tx) => {
      for (const lane of due) await putOff(tx, await lockBreaker(tx, ref.id, lane), unaskedSeconds)
    })
    return
  }
  const { yes } = await deps.performer.confirm({
    provider,
    step: 'health',
    input: null,
    account: { id: account.id, mode: systemCaller(ref).mode, config },
    deadlineMs: monotonicMs() + patienceMs,
  })
  for (const lane of due) await signalBreaker(deps, ref, lane, yes ? 'probe_good' : 'probe_bad')
}

/** The lanes that are due now. A message may come late or twice; the rows know whether there is anything to do. */
async function claim(deps: Deps, tx: Tx, id: Ref<'provider_account'>['id']): Promise<readonly Lane[]> {
  const { status } = await store.requireAccount(tx, id)
  const due: Lane[] = []
  for (const lane of lanes) {
    const breaker = await lockBreaker(tx, id, lane)
    if (breaker.nextProbeAt === null || breaker.nextProbeAt > tx.now) continue
    if (status === 'archived') await pull(deps, tx, breaker, 'given_up')
    else {
      await putOff(tx, breaker, claimSeconds)
      due.push(lane)
    }
  }
  return due
}

async function putOff(tx: Tx, breaker: StoredBreaker, seconds: number): Promise<void> {
  if (breaker.state !== 'open') return
  await writeBreaker(tx, breaker, { ...breaker, nextProbeAt: addSeconds(tx.now, seconds) })
}
