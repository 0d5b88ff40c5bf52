/** Keyset pagination by id: one statement of `limit + 1` rows for every page. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Bounds as UUIDs; null for no bound. `newer` reads upwards from `after`, but still returns the newest first.
 */
export type IdRange = {
  readonly limit: number
  readonly direction: 'older' | 'newer'
  readonly atLeast: string | null
  readonly below: string | null
  readonly after: string | null
  readonly before: string | null
  /** Leaves out rows of test clocks, for tables with a `test_clock_id` column. */
  readonly excludesTestClocks?: boolean
}

/** The newest rows, without bounds. */
export function newestOf(limit: number): IdRange {
  return { limit, direction: 'older', atLeast: null, below: null, after: null, before: null }
}

/** The conditions and the order of a page over the `id` column, to append to the conditions of the list. */
export function keysetOf(range: IdRange): RawBuilder<unknown> {
  const bounds = [
    range.atLeast === null ? null : sql`and id >= ${range.atLeast}::uuid`,
    range.below === null ? null : sql`and id < ${range.below}::uuid`,
    range.after === null ? null : sql`and id > ${range.after}::uuid`,
    range.before === null ? null : sql`and id < ${range.before}::uuid`,
    range.excludesTestClocks ? sql`and test_clock_id is null` : null,
  ].filter((bound) => bound !== null)
  const order = range.direction === 'older' ? sql`desc` : sql`asc`
  // One extra row shows whether there are more, without counting.
  return sql`${sql.join(bounds, sql` `)} order by id ${order} limit ${range.limit + 1}`
}

export function pageOf<Row>(
  rows: readonly Row[],
  range: IdRange,
): { rows: readonly Row[]; hasMore: boolean } {
  const page = rows.slice(0, range.limit)
  return {
    rows: range.direction === 'older' ? page : page.toReversed(),
    hasMore: rows.length > range.limit,
  }
}
