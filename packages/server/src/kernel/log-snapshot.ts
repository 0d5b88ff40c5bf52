/**
 * Identifies which transactions were committed at an instant. Transactions do not commit in the order of
 * their ids, so the last id that a reader has seen does not show what it missed. A database snapshot does:
 * every transaction that it does not include is new.
 */
import { addSeconds } from './clock.ts'
import { uuidFloor } from './id.ts'

/** The time, and a Postgres snapshot (`pg_snapshot`) that lists the transactions not yet committed. */
export type LogSnapshot = { readonly at: Date; readonly snapshot: string }

/**
 * An event carries the time at which its transaction began, so a newly committed event can be as old as the
 * longest transaction. Connections end transactions after 30 seconds; the other 5 allow for clock differences.
 */
export const lookBackSeconds = 35

/** Every event with a lower id had been committed by then, or never will be. */
export function floorOf({ at }: LogSnapshot): string {
  return uuidFloor(addSeconds(at, -lookBackSeconds))
}

/** The first transaction id that had not been assigned yet. */
export function endOf({ snapshot }: LogSnapshot): bigint {
  return BigInt(snapshot.split(':')[1] as string)
}

/**
 * The longest wait is an hour. Queries are still current, because they add the rows that were committed since
 * the last read.
 */
const [minWaitSeconds, maxWaitSeconds] = [10, 3_600]

/** Seconds until background work reads the log again. An idle workspace is read less and less often. */
export function secondsUntilNextRead(idleReads: number): number {
  return Math.min(minWaitSeconds * 2 ** Math.min(idleReads, 20), maxWaitSeconds)
}
