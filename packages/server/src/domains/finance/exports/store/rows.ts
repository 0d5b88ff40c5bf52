/**
 * Reads the objects of tables. A page reads a limited number of rows in the order of their ids and returns those of the
 * period, so that no statement takes long, however few of them there are.
 */
import { sql } from 'kysely'
import { idFromUuid, type Mode, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { Row, Value } from '../columns.ts'
import type { ExportPeriod } from '../period.ts'
import type { TableColumn, TableSource } from '../sources.ts'

export type RowPage = {
  readonly rows: readonly Row[]
  readonly scanned: number
  /** The uuid of the last row that was read; null if there are no more. */
  readonly last: string | null
}
type PageRange = { readonly after: string; readonly before: string; readonly limit: number }

export async function readRows(
  view: View,
  source: TableSource,
  { after, before, limit }: PageRange,
  { createdAt, fromAt, toAt }: ExportPeriod,
): Promise<RowPage> {
  const cells = source.columns.flatMap(({ sql: text, kindBy }, index) => [
    sql`${sql.raw(text)} as ${sql.ref(`c${index}`)}`,
    ...(kindBy === undefined ? [] : [sql`${sql.raw(kindBy.sql)} as ${sql.ref(`kind${index}`)}`]),
  ])
  const date = sql.ref(`row.${source.datedBy}`)
  const { rows } = await sql<{ readonly page_id: string; readonly [column: string]: Value }>`
    with page as materialized (
      select * from ${sql.table(source.table)}
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and id > ${after}::uuid and id < ${before}::uuid
      order by id limit ${limit})
    select row.id as page_id, ${sql.join(cells)},
      ${date} >= ${fromAt}::timestamptz and ${date} < ${toAt}::timestamptz
        and ${sql.raw(source.existed ?? 'true')} as is_included
    from page as row cross join (select ${createdAt}::timestamptz as created_at) as export
      ${sql.raw(source.join ?? '')} order by row.id`.execute(view.db)
  const { mode } = view.caller
  return {
    rows: rows
      .filter(({ is_included: isIncluded }) => isIncluded)
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

/** The number of rows of a page, without the dates, which makes it fast. */
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
