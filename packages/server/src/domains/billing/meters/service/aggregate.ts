/**
 * Adds recorded events to the sums of their hours, and triggers usage alerts. The cursor moves in the same transaction,
 * so each event is counted once, even if the work is stopped, repeated or run concurrently.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { triggerAlertsOfPeriods, triggerUsageAlerts } from '../../usage-alerts/service.ts'
import { addToBuckets, advanceCursor, lockCursor, nextRange } from '../store/buckets.ts'

const batchSize = 10_000

export async function aggregateEvents(deps: Deps, ref: Ref<'workspace'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const counted = await lockCursor(tx)
    if (counted === null) return
    const range = await nextRange(tx, counted, batchSize)
    if (range.to > range.from) {
      await addToBuckets(tx, range)
      await triggerUsageAlerts(tx, range)
    }
    await advanceCursor(tx, range)
  })
}

/**
 * Triggers the usage alerts of a subscription that was renewed after events of its next period were counted. When the
 * events were counted, that period did not exist.
 */
export async function triggerAlertsOfSubscription(deps: Deps, ref: Ref<'subscription'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const counted = await lockCursor(tx)
    if (counted !== null) await triggerAlertsOfPeriods(tx, ref.id as Id<'subscription'>, counted)
  })
}
