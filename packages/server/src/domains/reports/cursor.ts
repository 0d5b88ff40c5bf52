/**
 * How far the event log is counted, and how one look after another gets to its end. A look takes what became visible
 * since the moment that was seen last, in portions: nothing is missed because it was committed late, nothing is
 * counted twice, and nobody waits for a transaction that is open. Pure.
 */
import type { Moment } from '../../kernel/moment.ts'

export type Cursor = {
  /** What was committed then is counted; null: nothing is. */
  readonly seen: Moment | null
  /** While there is more than a portion: up to which moment, and the event that was looked at last. */
  readonly until: Moment | null
  readonly afterUuid: string | null
  /** Subscriptions older than the event log are looked at in the order of their ids; null: all were. */
  readonly walkedTo: string | null
  /** How often in a row nothing was found. */
  readonly idle: number
}

/** What a look has come to. */
export type Look = {
  readonly now: Moment
  readonly found: number
  readonly lastUuid: string | null
  /** Whether there may be more than it took. */
  readonly isFull: boolean
}

export function afterLook(before: Cursor, { now, found, lastUuid, isFull }: Look): Cursor {
  const until = before.until ?? now
  const idle = found === 0 ? before.idle + 1 : 0
  if (isFull) return { ...before, until, afterUuid: lastUuid, idle }
  return { ...before, seen: until, until: null, afterUuid: null, idle }
}

/** Whether the next look follows at once. */
export function hasMore({ until, walkedTo }: Cursor): boolean {
  return until !== null || walkedTo !== null
}

/** At most an hour: whoever reads a report counts what is new since the last look himself. */
const [shortestSeconds, longestSeconds] = [10, 3_600]

/** Until the next look. One at which nothing happens is looked at less and less often. */
export function waitSeconds(cursor: Cursor): number {
  if (hasMore(cursor)) return 0
  return Math.min(shortestSeconds * 2 ** Math.min(cursor.idle, 20), longestSeconds)
}
