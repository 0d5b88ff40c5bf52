/**
 * Brings the schema forward: plain SQL files in order of their names, each in one transaction, none
 * twice. Any number of processes may start at once; one works, the others wait and find nothing to do.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Client } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { asOwner } from './owner.ts'
import { ensurePartitions } from './partitions.ts'

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string }
type Applied = { readonly name: string; readonly checksum: string }

const folder = new URL('../../../migrations/', import.meta.url)
const lock = "hashtextextended('switchyard.migrate', 0)"

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** What is still to be done, in order. Says no if history and files tell different stories. Pure. */
export function planMigrations(files: readonly Migration[], applied: readonly Applied[]): Migration[] {
  for (const [place, done] of applied.entries()) {
    const file = files[place]
    assert(
      file?.name === done.name,
      `The database holds migration ${done.name}, where this version has ${file?.name ?? 'none'}. Deploy a newer version.`,
    )
    assert(
      file.checksum === done.checksum,
      `Migration ${done.name} was edited after it was applied. Restore the file and add a new migration instead.`,
    )
  }
  return files.slice(applied.length)
}

/** Names what `migrate` would apply, and changes nothing. */
export async function planFor(url: string): Promise<string[]> {
  return asOwner(url, async (client) => {
    const { rows } = await client.query("select to_regclass('public.schema_migrations') is not null as known")
    const applied = rows[0].known ? await readApplied(client) : []
    return planMigrations(await readMigrations(), applied).map(({ name }) => name)
  })
}

/** Applies what is missing, makes the partitions that are due, and tells what it applied. */
export async function migrate(url: string): Promise<string[]> {
  const files = await readMigrations()
  return asOwner(url, async (client) => {
    // A session lock: it is held over all transactions, and goes with the connection if we die.
    await client.query(`select pg_advisory_lock(${lock})`)
    await client.query(`create table if not exists public.schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    const missing = planMigrations(files, await readApplied(client))
    for (const migration of missing) await apply(client, migration)
    const { rows } = await client.query('select now() as now')
    await ensurePartitions((text) => client.query(text), rows[0].now)
    return missing.map(({ name }) => name)
  })
}

async function readApplied(client: Client): Promise<Applied[]> {
  const { rows } = await client.query('select name, checksum from public.schema_migrations order by name')
  return rows
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin')
  // Better to fail and be run again than to queue behind a long transaction with everyone else behind us.
  await client.query("set local lock_timeout = '2s'")
  await client.query(sql)
  await client.query('insert into public.schema_migrations (name, checksum) values ($1, $2)', [
    name,
    checksum,
  ])
  await client.query('commit')
}
