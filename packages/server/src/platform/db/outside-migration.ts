/**
 * A migration that is one index, built while rows are written: Postgres refuses to do that in a transaction. Stopped
 * halfway it leaves an index that nobody reads and everybody writes, which `if not exists` would take for done; so what
 * is left behind goes first, and only an index that is whole counts as built.
 */
import type { Client } from 'pg'
import { assert } from '../../kernel/assert.ts'

type Index = { readonly name: string; readonly table: string }

/** How such a file begins. */
export const outsideMark = '-- Outside a transaction.'

export function isOutside(sql: string): boolean {
  return sql.startsWith(outsideMark)
}

const form = /^create (?:unique )?index concurrently if not exists (\w+) on ([\w.]+) ?\([^;]*;?$/i

/** The index that the file builds. It is the one statement there; more would run in a transaction. Pure. */
export function indexBuiltBy(file: string, sql: string): Index {
  const statement = sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const [, name, table] = form.exec(statement) ?? []
  assert(
    name !== undefined && table !== undefined,
    `${file} begins with "${outsideMark}" Let it hold one statement: create [unique] index concurrently if not exists <name> on <table> (...).`,
  )
  return { name, table }
}

export async function applyOutside(
  client: Client,
  file: { readonly name: string; readonly sql: string },
): Promise<void> {
  const index = indexBuiltBy(file.name, file.sql)
  const left = await find(client, index)
  if (left?.isWhole === false) await client.query(`drop index concurrently ${left.path}`)
  await client.query(file.sql)
  const built = await find(client, index)
  assert(
    built?.isWhole === true,
    `${file.name} has not built ${index.name}: look what else has this name, and run migrate again.`,
  )
}

/** That very index. Others may be half built with good reason, such as one that somebody builds right now. */
async function find(client: Client, { name, table }: Index) {
  const { rows } = await client.query<{ path: string; isWhole: boolean }>(
    `select indexrelid::regclass::text as path, indisvalid as "isWhole"
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = to_regclass($1) and relname = lower($2)`,
    [table, name],
  )
  return rows[0]
}
