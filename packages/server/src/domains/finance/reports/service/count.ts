/**
 * Background work that stores the figures of a workspace. New events are added to the sums, and the cursor
 * advances in the same transaction, so each event is counted once, even if the work is stopped, repeated or
 * run concurrently.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { changesByDay, totalChanges } from '../billing.ts'
import { advanceCursor, type Cursor, waitSeconds } from '../cursor.ts'
import { addDays, addTotals } from '../store/billing.ts'
import { writeContributions } from '../store/contributions.ts'
import { lockCursor, updateCursor } from '../store/cursors.ts'
import { addFigures } from '../store/figures.ts'
import {
  billingChanges,
  type DatedChange,
  paymentFigures,
  readBackfill,
  readNewEvents,
} from './new-events.ts'

export async function countNewEvents(deps: Deps, ref: Ref<'workspace'>): Promise<void> {
  await transact(deps, systemCaller(ref), countBatch)
}

/** Counts one batch of events. The cursor is locked until the transaction ends. */
export async function countBatch(tx: Tx): Promise<Cursor> {
  const before = await lockCursor(tx)
  const { result, events } = await readNewEvents(tx, before)
  await addFigures(tx, await paymentFigures(tx, events))
  await countChanges(tx, await billingChanges(tx, events))
  const after = { ...advanceCursor(before, result), backfilledTo: await backfill(tx, before) }
  await updateCursor(tx, after, addSeconds(tx.now, waitSeconds(after)))
  return after
}

/** Counts subscriptions that are older than the report data, one batch at a time. */
async function backfill(tx: Tx, { backfilledTo }: Cursor): Promise<string | null> {
  if (backfilledTo === null) return null
  const batch = await readBackfill(tx, backfilledTo)
  await countChanges(tx, batch.changes)
  return batch.backfilledTo
}

async function countChanges(tx: Tx, changes: readonly DatedChange[]): Promise<void> {
  await addTotals(tx, totalChanges(changes))
  await addDays(tx, changesByDay(changes))
  await writeContributions(
    tx,
    changes.map(({ after }) => after),
  )
}
