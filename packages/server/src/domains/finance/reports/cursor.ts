/**
 * The cursor of the counting work in the event log. Each read returns the events that became visible since
 * the last snapshot, in batches: no event is missed because it was committed late, none is counted twice, and
 * open transactions do not delay the counting. Pure.
 */
import { type LogSnapshot, secondsUntilNextRead } from '../../../kernel/log-snapshot.ts'

export type Cursor = {
  /** All events that are visible in this snapshot are counted; null: no event is counted. */
  readonly countedUntil: LogSnapshot | null
  /** During a backlog of several batches: the snapshot at its end, and the last counted event. */
  readonly backlogUntil: LogSnapshot | null
  readonly afterUuid: string | null
  /**
   * The last subscription that was counted without its events, which may be deleted; null: all are counted.
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
