/**
 * How far the report counters have read the event log. Each read returns the events that became visible since the last
 * snapshot, in batches: no event is missed because it was committed late, none is counted twice, and open transactions
 * do not delay the counting. No side effects.
 */
import { type LogSnapshot, secondsUntilNextRead } from '../../../kernel/log-snapshot.ts'

export type Cursor = {
  /** All events that are visible in this snapshot are counted; null: no event is counted. */
  readonly countedUntil: LogSnapshot | null
  /** While a backlog is read in batches: the snapshot at its end. Null otherwise. */
  readonly backlogUntil: LogSnapshot | null
  /** While a backlog is read in batches: the last counted event. Null otherwise. */
  readonly afterUuid: string | null
  /**
   * During a backfill: the last subscription that was counted from its row, because its events may already have been
   * deleted. Null when the backfill is complete.
   */
  readonly backfilledTo: string | null
  /** The number of consecutive reads without new events. */
  readonly idleReads: number
}

export type ReadResult = {
  readonly now: LogSnapshot
  readonly found: number
  readonly lastUuid: string | null
  /** Whether there may be more events than were read. */
  readonly isFull: boolean
}

export function advanceCursor(before: Cursor, { now, found, lastUuid, isFull }: ReadResult): Cursor {
  const until = before.backlogUntil ?? now
  const idleReads = found === 0 ? before.idleReads + 1 : 0
  if (isFull) return { ...before, backlogUntil: until, afterUuid: lastUuid, idleReads }
  return { ...before, countedUntil: until, backlogUntil: null, afterUuid: null, idleReads }
}

/** Whether the next read follows immediately. */
export function hasMore({ backlogUntil, backfilledTo }: Cursor): boolean {
  return backlogUntil !== null || backfilledTo !== null
}

/** Seconds until the next read. */
export function waitSeconds(cursor: Cursor): number {
  return hasMore(cursor) ? 0 : secondsUntilNextRead(cursor.idleReads)
}
