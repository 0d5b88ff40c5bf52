/**
 * What was committed at an instant. Ids do not commit in order, so no id says what a reader of the event log has
 * seen. A snapshot of the database does: whatever it did not show is new.
 */
import { addSeconds } from './clock.ts'
import { uuidFloor } from './id.ts'

/** An account of the transactions that were not committed, as Postgres writes it, and its time. */
export type Moment = { readonly at: Date; readonly snapshot: string }

/**
 * An event carries the instant at which its transaction began, so one that has just been committed may look as
 * old as a transaction may become: connections end those of more than 30 seconds. The rest is for clocks.
 */
export const lookBackSeconds = 35

/** Whatever has a lower id was committed at that moment, or never will be. */
export function floorOf({ at }: Moment): string {
  return uuidFloor(addSeconds(at, -lookBackSeconds))
}

/** The first transaction that had not begun. */
export function endOf({ snapshot }: Moment): bigint {
  return BigInt(snapshot.split(':')[1] as string)
}
