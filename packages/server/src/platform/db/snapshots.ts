/** Finds the rows of append-only tables that a snapshot did not include. Such a table has a `txid` column. */
import { type RawBuilder, sql } from 'kysely'

const currentEnd = sql`(select pg_snapshot_xmax(pg_current_snapshot()))`

/**
 * Whether the transaction of a row was committed after the snapshot was taken. `isLater` is whether it also began later.
 *
 * A restore from a dump resets transaction ids: rows from before the restore then have ids that are not assigned yet. Until
 * a new snapshot is taken, rows that were written since the restore are recognized by their time. The first read after the
 * restore includes all rows from before it, so later reads ignore them.
 */
export function isNotIncludedIn(
  snapshot: RawBuilder<unknown>,
  isLater: RawBuilder<boolean>,
): RawBuilder<boolean> {
  const isNew = sql`not pg_visible_in_snapshot(txid, ${snapshot})`
  return sql`case when pg_snapshot_xmax(${snapshot}) > ${currentEnd}
    then ${isNew} or (txid < ${currentEnd} and ${isLater})
    else ${isNew} and txid < ${currentEnd} end`
}
