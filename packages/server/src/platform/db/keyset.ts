/** One page of a list by ranges of ids: one statement of `limit + 1` rows, whichever page it is. */
import { type RawBuilder, sql } from 'kysely'

/** Bounds as uuids; null: none. `newer` walks up from `after`, but still answers the newest first. */
export type IdRange = {
  readonly limit: number
  readonly direction: 'older' | 'newer'
  readonly atLeast: string | null
  readonly below: string | null
  readonly after: string | null
  readonly before: string | null
}

/** The conditions and the order of a page over the column `id`, to stand after the list's own conditions. */
export function keysetOf(range: IdRange): RawBuilder<unknown> {
  const bounds = [
    range.atLeast === null ? null : sql`and id >= ${range.atLeast}::uuid`,
    range.below === null ? null : sql`and id < ${range.below}::uuid`,
    range.after === null ? null : sql`and id > ${range.after}::uuid`,
    range.before === null ? null : sql`and id < ${range.before}::uuid`,
  ].filter((bound) => bound !== null)
  const order = range.direction === 'older' ? sql`desc` : sql`asc`
  // One more than asked for tells whether more follow, without counting.
  return sql`${sql.join(bounds, sql` `)} order by id ${order} limit ${range.limit + 1}`
}

export function pageOf<Row>(
  rows: readonly Row[],
  range: IdRange,
): { rows: readonly Row[]; hasMore: boolean } {
  const kept = rows.slice(0, range.limit)
  return {
    rows: range.direction === 'older' ? kept : kept.toReversed(),
    hasMore: rows.length > range.limit,
  }
}
