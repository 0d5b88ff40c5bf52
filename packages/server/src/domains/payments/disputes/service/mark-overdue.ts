import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { isOverdue, isPastDeadline } from '../dispute.ts'
import { disputeUpdated } from '../events.ts'
import * as store from '../store.ts'

/**
 * Marks a dispute as overdue. Does nothing if a response was submitted, or the deadline was extended, in the
 * meantime.
 */
export async function markOverdue(deps: Deps, ref: Ref<'dispute'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockDispute(tx, ref.id)
    if (isOverdue(before) || !isPastDeadline(before, tx.now)) return
    const after = await store.updateDispute(tx, before, {}, true)
    tx.emit(disputeUpdated, { before, after })
  })
}
