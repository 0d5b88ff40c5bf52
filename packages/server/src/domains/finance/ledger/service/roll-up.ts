/**
 * Background work that adds new postings to the stored balances of a workspace. The cursor advances in the same
 * transaction, so each posting is added once, even if the work is stopped, repeated or run concurrently, or a posting is
 * committed late.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { secondsUntilNextRead } from '../../../../kernel/log-snapshot.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { addNewPostings, findBatchEnd, lockCursor, updateCursor } from '../store/roll-up.ts'

/** Limits the duration of a transaction during a backlog, for example after background work was stopped for days. */
const maxPostings = 100_000

export async function rollUpBalances(deps: Deps, ref: Ref<'workspace'>): Promise<void> {
  await transact(deps, systemCaller(ref), (tx) => rollUpBatch(tx, maxPostings))
}

export async function rollUpBatch(tx: Tx, batchSize: number): Promise<void> {
  const before = await lockCursor(tx)
  const batchEnd = await findBatchEnd(tx, batchSize)
  const { hasNew, at, snapshot } = await addNewPostings(tx, batchEnd)
  const idle = hasNew ? 0 : before.idle + 1
  await updateCursor(
    tx,
    batchEnd === null
      ? { at, snapshot, idle, dueAt: addSeconds(tx.now, secondsUntilNextRead(idle)) }
      : { at: batchEnd, snapshot: null, idle, dueAt: tx.now },
  )
}
