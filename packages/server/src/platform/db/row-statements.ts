/**
 * Statements that write one row of a table, for tables that are written with every payment. Their text depends only on the
 * table and the names of the columns, and is built once for each combination: Kysely takes up to 70 µs of CPU time to
 * build it each time.
 */
import { CompiledQuery, type Insertable, type Updateable } from 'kysely'
import type { DB } from './tables.generated.ts'

type Table = keyof DB & string
type Columns = { readonly [column: string]: unknown }

export function insertRow<T extends Table>(table: T, row: Insertable<DB[T]>): CompiledQuery {
  const { names, values } = definedColumns(row)
  const text = textOf(`insert ${table} ${names}`, () => {
    const columns = names.map((name) => `"${name}"`)
    const placeholders = names.map((_, index) => `$${index + 1}`)
    return `insert into "${table}" (${columns.join(', ')}) values (${placeholders.join(', ')})`
  })
  return CompiledQuery.raw(text, values)
}

/** The row to change: all of these columns have these values. */
type Condition<T extends Table> = { readonly [Column in keyof DB[T]]?: string | number }

/**
 * Changes one row. If there is no row that fulfills the condition, the unit runs again. `alsoRequired` is a further
 * condition, without parameters.
 */
export function changeRow<T extends Table>(
  table: T,
  changes: Updateable<DB[T]>,
  where: Condition<T>,
  alsoRequired = '',
): CompiledQuery {
  const set = definedColumns(changes)
  const found = definedColumns(where)
  const text = textOf(`change ${table} ${set.names} where ${found.names} ${alsoRequired}`, () => {
    const assignments = set.names.map((name, index) => `"${name}" = $${index + 1}`)
    const conditions = found.names.map((name, index) => `"${name}" = $${set.names.length + index + 1}`)
    if (alsoRequired !== '') conditions.push(alsoRequired)
    return (
      `with changed as (update "${table}" set ${assignments.join(', ')} ` +
      `where ${conditions.join(' and ')} returning 1) select require_changed(exists (select from changed))`
    )
  })
  return CompiledQuery.raw(text, [...set.values, ...found.values])
}

/** Omits columns that are undefined, like Kysely. */
function definedColumns(row: Columns): { readonly names: readonly string[]; readonly values: unknown[] } {
  const names: string[] = []
  const values: unknown[] = []
  for (const name in row) {
    if (row[name] === undefined) continue
    names.push(name)
    values.push(row[name])
  }
  return { names, values }
}

const texts = new Map<string, string>()

/** The combinations are limited: each is written in the code of a store. */
function textOf(key: string, build: () => string): string {
  const existing = texts.get(key)
  if (existing !== undefined) return existing
  const text = build()
  texts.set(key, text)
  return text
}
