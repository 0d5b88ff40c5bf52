/** A page of a table of the workspace: what nearly every list does with its rows. */
import { type RawBuilder, sql } from 'kysely'
import { type Mode, uuidOf } from '../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from './keyset.ts'
import type { View } from './unit-of-work.ts'

type Listed<Row, Value> = {
  readonly table: string
  /** By name, never `*`: a column that a migration adds must not change what a running process has prepared. */
  readonly columns: readonly string[]
  /** Conditions of the list's own, each with its `and`. */
  readonly only?: RawBuilder<unknown>
  readonly fromRow: (mode: Mode, row: Row) => Value
}

export async function listRows<Row, Value>(
  view: View,
  range: IdRange,
  { table, columns, only = sql``, fromRow }: Listed<Row, Value>,
) {
  const { rows } = await sql<Row>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${only} ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}
