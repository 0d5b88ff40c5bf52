/**
 * A migration that builds one index concurrently, which Postgres does not allow in a transaction. An
 * interrupted build leaves an invalid index, which is maintained but never used, and which `if not exists`
 * would accept. Therefore an invalid index is dropped first, and only a valid index counts as built.
 */
import type { Client } from 'pg'
import { assert } from '../../kernel/assert.ts'

type Index = { readonly name: string; readonly table: string }

/** The first line of such a file. */
export const outsideMarker = '-- Outside a transaction.'

export function isOutsideTransaction(sql: string): boolean {
  return sql.startsWith(outsideMarker)
}

const statementPattern = /^create (?:unique )?index concurrently if not exists (\w+) on ([\w.]+) ?\([^;]*;?$/i

/**
 * The index that the file builds. It must be the only statement; several would run in a transaction. Has no side
 * effects.
 */
export function indexBuiltBy(file: string, sql: string): Index {
  const statement = sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const [, name, table] = statementPattern.exec(statement) ?? []
  assert(
    name !== undefined && table !== undefined,
    `${file} begins with "${outsideMarker}" It must contain one statement: create [unique] index concurrently if not exists <name> on <table> (...).`,
  )
  return { name, table }
}

export async function applyOutside(
  client: Client,
  file: { readonly name: string; readonly sql: string },
): Promise<void> {
  const index = indexBuiltBy(file.name, file.sql)
  const existing = await findIndex(client, index)
  if (existing?.isValid === false) await client.query(`drop index concurrently ${existing.path}`)
  await client.query(file.sql)
  const built = await findIndex(client, index)
  assert(
    built?.isValid === true,
    `${file.name} has not built ${index.name}: check whether another object has this name, and run migrate again.`,
  )
}

/** Checks only that index. Other indexes may be invalid for a good reason, such as a build in progress. */
async function findIndex(client: Client, { name, table }: Index) {
  const { rows } = await client.query<{ path: string; isValid: boolean }>(
    `select indexrelid::regclass::text as path, indisvalid as "isValid"
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = to_regclass($1) and relname = lower($2)`,
    [table, name],
  )
  return rows[0]
}
