/**
 * Reads the objects of tables. A page reads a limited number of rows in the order of their ids and returns those of the
 * period, so that no statement takes long, even if only a few rows belong to the period.
 */
import { type RawBuilder, sql } from 'kysely'
import { idFromUuid, type Mode, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { Row, Value } from '../columns.ts'
import { dayOf } from '../daily.ts'
import type { ExportPeriod } from '../period.ts'
import type { ChangeDay, TableColumn, TableSource } from '../sources.ts'

export type RowPage = {
  readonly rows: readonly Row[]
  readonly scanned: number
  /** The uuid of the last row that was read; null if there are no more. */
  readonly last: string | null
}
type PageRange = { readonly after: string; readonly before: string; readonly limit: number }

export function readRows(
  view: View,
  source: TableSource,
  range: PageRange,
  { createdAt, fromAt, toAt }: ExportPeriod,
): Promise<RowPage> {
  const date = sql.ref(`row.${source.datedBy}`)
  return readPageOfRows(view, source, {
    createdAt,
    page: tablePage(view, source, range),
    from: sql`page as row`,
    isIncluded: sql`${date} >= ${fromAt}::timestamptz and ${date} < ${toAt}::timestamptz
      and ${sql.raw(source.existed ?? 'true')}`,
  })
}

/** Reads the objects that changed in the period. */
export function readChangedRows(
  view: View,
  source: TableSource,
  range: PageRange,
  period: ExportPeriod,
): Promise<RowPage> {
  const { changedBy = 'id' } = source
  const { createdAt, fromAt, toAt } = period
  if (typeof changedBy === 'object')
    return 'day' in changedBy
      ? readPageOfRows(view, source, {
          createdAt,
          page: pageOfDay(view, source, range, { ...changedBy, fromAt }),
          from: sql`page as row`,
          isIncluded: sql`true`,
        })
      : readRowsWithEvents(view, source, { ...range, ...period }, changedBy)
  const isUpdated = sql`row.updated_at >= ${fromAt}::timestamptz and row.updated_at < ${toAt}::timestamptz`
  return readPageOfRows(view, source, {
    createdAt,
    page: tablePage(view, source, range),
    from: sql`page as row`,
    isIncluded: changedBy === 'id' ? sql`true` : isUpdated,
  })
}

/** Reads events in the order of their ids. An object is returned with its first event of the period. */
function readRowsWithEvents(
  view: View,
  source: TableSource,
  { after, limit, written, createdAt }: PageRange & ExportPeriod,
  { events }: { readonly events: string },
): Promise<RowPage> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  return readPageOfRows(view, source, {
    createdAt,
    page: sql`
      select id, object_id, type from events
      where workspace_id = ${workspace} and id > ${after}::uuid and id < ${written.before}::uuid
      order by id limit ${limit}`,
    from: sql`page left join ${sql.table(source.table)} as row
      on row.workspace_id = ${workspace} and row.id = page.object_id and page.type like ${`${events}.%`}`,
    isIncluded: sql`row.id is not null and not exists (
      select from events as earlier
      where earlier.workspace_id = ${workspace} and earlier.object_id = page.object_id
        and earlier.id > ${written.after}::uuid and earlier.id < page.id)`,
    pageId: sql`page.id`,
  })
}

function tablePage(view: View, source: TableSource, { after, before, limit }: PageRange) {
  return sql`
    select * from ${sql.table(source.table)}
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id > ${after}::uuid and id < ${before}::uuid
    order by id limit ${limit}`
}

/** An object that changes again on a later day is only exported with that day. */
function pageOfDay(
  view: View,
  source: TableSource,
  { after, before, limit }: PageRange,
  { day, condition, fromAt }: ChangeDay & { readonly fromAt: Date },
) {
  return sql`
    select * from ${sql.table(source.table)}
    where workspace_id = ${uuidOf(view.caller.workspaceId)}
      and ${sql.ref(day)} = ${dayOf(fromAt)} and ${sql.raw(condition)}
      and id > ${after}::uuid and id < ${before}::uuid
    order by id limit ${limit}`
}

type RowQuery = {
  readonly createdAt: Date
  readonly page: RawBuilder<unknown>
  readonly from: RawBuilder<unknown>
  readonly isIncluded: RawBuilder<unknown>
  readonly pageId?: RawBuilder<unknown>
}

async function readPageOfRows(
  view: View,
  source: TableSource,
  { createdAt, page, from, isIncluded, pageId = sql`row.id` }: RowQuery,
): Promise<RowPage> {
  const cells = source.columns.flatMap(({ sql: text, kindBy }, index) => [
    sql`${sql.raw(text)} as ${sql.ref(`c${index}`)}`,
    ...(kindBy === undefined ? [] : [sql`${sql.raw(kindBy.sql)} as ${sql.ref(`kind${index}`)}`]),
  ])
  const { rows } = await sql<{ readonly page_id: string; readonly [column: string]: Value }>`
    with page as materialized (${page})
    select ${pageId} as page_id, ${sql.join(cells)}, ${isIncluded} as is_included
    from ${from} cross join (select ${createdAt}::timestamptz as created_at) as export
      ${sql.raw(source.join ?? '')} order by ${pageId}`.execute(view.db)
  const { mode } = view.caller
  return {
    rows: rows
      .filter(({ is_included: isRowIncluded }) => isRowIncluded)
      .map((row) =>
        source.columns.map((column, index) => {
          const [value, kindValue] = [row[`c${index}`] ?? null, row[`kind${index}`] ?? null]
          return toValue(mode, column, { value, kindValue })
        }),
      ),
    scanned: rows.length,
    last: rows.at(-1)?.page_id ?? null,
  }
}

type Cell = { readonly value: Value; readonly kindValue: Value }

function toValue(mode: Mode, column: TableColumn, { value, kindValue }: Cell): Value {
  if (column.type !== 'id' || typeof value !== 'string') return value
  const kind = typeof kindValue === 'string' ? column.kindBy?.kindOf(kindValue) : undefined
  return idFromUuid(kind ?? column.kind, mode, value)
}

/** Counts the rows of a page without reading the dates, which is fast. */
export async function countRows(
  view: View,
  table: string,
  { after, before, limit }: PageRange,
): Promise<{ readonly counted: number; readonly last: string | null }> {
  const { rows } = await sql<{ readonly counted: number; readonly last: string | null }>`
    select id as last, number::int as counted from (
      select id, row_number() over (order by id) as number from ${sql.table(table)}
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and id > ${after}::uuid and id < ${before}::uuid
      order by id limit ${limit}) as page
    order by number desc limit 1`.execute(view.db)
  return rows[0] ?? { counted: 0, last: null }
}
