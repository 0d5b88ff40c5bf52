/**
 * Work: keeps the figures of a workspace. What is new in the event log is added to the sums, and the position moves on
 * in the same commit, so each event is counted once, however often this is stopped, repeated or run beside itself.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { dayChangesOf, totalsOf } from '../billing.ts'
import { afterLook, type Cursor, waitSeconds } from '../cursor.ts'
import { addDays, addTotals } from '../store/billing.ts'
import { lockCursor, updateCursor } from '../store/cursors.ts'
import { addFigures } from '../store/figures.ts'
import { writeShares } from '../store/shares.ts'
import { billingSteps, type DatedStep, newsSince, paymentFigures, walkSubscriptions } from './news.ts'

export async function countNews(deps: Deps, ref: Ref<'workspace'>): Promise<void> {
  await transact(deps, systemCaller(ref), countPortion)
}

/** One portion, under the lock of the cursor. */
export async function countPortion(tx: Tx): Promise<Cursor> {
  const before = await lockCursor(tx)
  const { look, news } = await newsSince(tx, before)
  await addFigures(tx, await paymentFigures(tx, news))
  await countSteps(tx, await billingSteps(tx, news))
  const after = { ...afterLook(before, look), walkedTo: await walk(tx, before) }
  await updateCursor(tx, after, addSeconds(tx.now, waitSeconds(after)))
  return after
}

/** Subscriptions that were there before anybody counted, a portion at a time. */
async function walk(tx: Tx, { walkedTo }: Cursor): Promise<string | null> {
  if (walkedTo === null) return null
  const walked = await walkSubscriptions(tx, walkedTo)
  await countSteps(tx, walked.steps)
  return walked.walkedTo
}

async function countSteps(tx: Tx, steps: readonly DatedStep[]): Promise<void> {
  await addTotals(tx, totalsOf(steps))
  await addDays(tx, dayChangesOf(steps))
  await writeShares(
    tx,
    steps.map(({ after }) => after),
  )
}
