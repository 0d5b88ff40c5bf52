/**
 * Learns the approval rates of the accounts of a route. Payments old enough to have ended are counted in the
 * order of their ids, in the transaction that stores the progress, so each is counted once even after a
 * crash. The result is a snapshot that all processes use, so that processing a payment needs no counting and no
 * query.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { snapshotOf } from '../adaptive/snapshot.ts'
import { adaptiveSettingsOf, type Definition } from '../payment-route.ts'
import * as store from '../store/learning.ts'
import { requireRoute } from '../store/routes.ts'
import { withDefinition } from './save.ts'

/**
 * A payment is counted after this time, when almost all outcomes are known. An outcome that is still unknown
 * counts as a failure, because the payer could not pay.
 */
export const outcomeDelayMinutes = 10
const snapshotIntervalSeconds = 60
/** The number of payments counted per transaction, which keeps it short. */
const batchSize = 20_000

type Published = { readonly before: Definition | null; readonly after: Definition | null }

/** Must be called on every publication. `before` is null for the first one; `after` is null when archived. */
export async function startOrStopLearning(
  tx: Tx,
  id: Id<'payment_route'>,
  { before, after }: Published,
): Promise<void> {
  const isAdaptive = (definition: Definition | null) =>
    definition !== null && adaptiveSettingsOf(definition).size > 0
  if (isAdaptive(after)) await store.startLearning(tx, id)
  else if (isAdaptive(before)) await store.stopLearning(tx, id)
}

/** Worker: counts new payments, and takes a snapshot once all are counted. */
export async function learnRoute(deps: Deps, ref: Ref<'payment_route'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockLearning(tx, ref.id)
    // A message may be late or a duplicate. The row shows whether there is anything to do.
    if (before === null || before.dueAt === null || before.dueAt > tx.now) return
    const next = await store.nextBatch(tx, before.countedTo, { outcomeDelayMinutes, limit: batchSize })
    if (next !== null) await store.countOutcomes(tx, before, next.last)
    const countedTo = next?.last ?? before.countedTo
    if (next?.isFull) await store.updateLearning(tx, before, { countedTo, dueAt: tx.now })
    else await takeSnapshot(tx, before, countedTo)
  })
}

/** A snapshot that equals the last one is not stored, so that no process reloads it. */
async function takeSnapshot(tx: Tx, before: store.Learning, countedTo: string): Promise<void> {
  await store.deleteExpiredFigures(tx, before.id)
  const { definition } = await withDefinition(tx, await requireRoute(tx, before.id))
  const settingsByRule = adaptiveSettingsOf(definition)
  const snapshot = snapshotOf(settingsByRule, await store.readCells(tx, before.id, settingsByRule))
  const isNew = JSON.stringify(snapshot) !== JSON.stringify(before.snapshot)
  const dueAt = addSeconds(tx.now, snapshotIntervalSeconds)
  await store.updateLearning(tx, before, { countedTo, dueAt, ...(isNew ? { snapshot } : {}) })
}
