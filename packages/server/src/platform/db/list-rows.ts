/** Reads a page of rows of one workspace. Nearly every list uses it. */
import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'
import { type Mode, uuidOf } from '../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from './keyset.ts'
import type { View } from './unit-of-work.ts'

type ListOptions<Row, Value> = {
  readonly table: string
  /**
   * Named columns, never `*`: a column added by a migration must not change the prepared statements of
   * running processes.
   */
  readonly columns: readonly string[]
  /** Further columns that are computed, each with a name. */
  readonly computed?: readonly AliasedRawBuilder<unknown, string>[]
  /** Additional conditions of the list, each starting with `and`. */
  readonly only?: RawBuilder<unknown>
  readonly fromRow: (mode: Mode, row: Row) => Value
}

export async function listRows<Row, Value>(
  view: View,
  range: IdRange,
  { table, columns, computed = [], only = sql``, fromRow }: ListOptions<Row, Value>,
) {
  const { rows } = await sql<Row>`
    select ${sql.join([...columns.map((column) => sql.ref(column)), ...computed])} from ${sql.table(table)}
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${only} ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}
