/**
 * Brings the schema forward: plain SQL files in order of their names, none twice. Each is one transaction, or one index
 * that is built outside of any. Requests go on meanwhile: whatever stands in the way of a file is let through before it
 * is tried again. Any number of processes may start at once; one works, the others wait and find nothing to do.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { takeTurn } from './migration-turn.ts'
import { applyOutside, indexBuiltBy, isOutside } from './outside-migration.ts'
import { asOwner } from './owner.ts'
import { ensurePartitions } from './partitions.ts'

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string }
type Applied = { readonly name: string; readonly checksum: string }

const folder = new URL('../../../migrations/', import.meta.url)

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      if (isOutside(sql)) indexBuiltBy(name, sql)
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
export function planFor(url: string): Promise<string[]> {
  return asOwner(url, planOf)
}

export async function planOf(client: Client): Promise<string[]> {
  const { rows } = await client.query("select to_regclass('public.schema_migrations') is not null as known")
  const applied = rows[0].known ? await readApplied(client) : []
  return planMigrations(await readMigrations(), applied).map(({ name }) => name)
}

/** Applies what is missing, makes the partitions that are due, and tells what it applied. */
export async function migrate(url: string, given?: readonly Migration[]): Promise<string[]> {
  const files = given ?? (await readMigrations())
  return asOwner(url, async (client) => {
    await takeTurn(client)
    await client.query(`create table if not exists public.schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    const missing = planMigrations(files, await readApplied(client))
    for (const migration of missing) await applyPatiently(client, migration)
    const { rows } = await client.query('select now() as now')
    await ensurePartitions((text) => client.query(text), rows[0].now)
    return missing.map(({ name }) => name)
  })
}

async function readApplied(client: Client): Promise<Applied[]> {
  const { rows } = await client.query('select name, checksum from public.schema_migrations order by name')
  return rows
}

/** What the database says when the migration met requests: nothing has happened, and it may be run again. */
const inTheWay = new Set([
  '55P03', // a lock was not free in time
  '40P01', // deadlock
])
const maxRuns = 20
/** Whoever has queued behind us gets through before we stand in the way again. */
const pauseMs = 500

async function applyPatiently(client: Client, migration: Migration): Promise<void> {
  for (let run = 1; ; run += 1) {
    try {
      return await apply(client, migration)
    } catch (error) {
      await client.query('rollback')
      if (run === maxRuns || !inTheWay.has((error as { code?: string }).code ?? '')) throw error
      await sleep(pauseMs)
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  if (isOutside(migration.sql)) {
    await applyOutside(client, migration)
    return noteApplied(client, migration)
  }
  await client.query('begin')
  // Better to give up and begin anew than to queue behind a long transaction with everyone else behind us.
  await client.query("set local lock_timeout = '2s'")
  await client.query(migration.sql)
  await noteApplied(client, migration)
  await client.query('commit')
}

async function noteApplied(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into public.schema_migrations (name, checksum) values ($1, $2)', [
    name,
    checksum,
  ])
}
