/**
 * Applies schema migrations: plain SQL files in the order of their names, each once. Each is one transaction,
 * or one index that is built outside a transaction. Requests continue during a migration: one that cannot get its
 * locks backs off and retries. Any number of processes may start concurrently; one migrates, the others wait and find
 * nothing to do.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { acquireMigrationLock } from './migration-lock.ts'
import { applyOutside, indexBuiltBy, isOutsideTransaction } from './outside-migration.ts'
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
      if (isOutsideTransaction(sql)) indexBuiltBy(name, sql)
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * The migrations to apply, in order. Fails if the applied migrations and the files do not match. Has no side effects.
 */
export function planMigrations(files: readonly Migration[], applied: readonly Applied[]): Migration[] {
  for (const [index, appliedMigration] of applied.entries()) {
    const file = files[index]
    assert(
      file?.name === appliedMigration.name,
      `The database has the migration ${appliedMigration.name} where this version has ${file?.name ?? 'none'}. Deploy a newer version.`,
    )
    assert(
      file.checksum === appliedMigration.checksum,
      `Migration ${appliedMigration.name} was edited after it was applied. Restore the file and add a new migration instead.`,
    )
  }
  return files.slice(applied.length)
}

/** Lists the migrations that `migrate` would apply, and changes nothing. */
export function planFor(url: string): Promise<string[]> {
  return asOwner(url, planOf)
}

export async function planOf(client: Client): Promise<string[]> {
  const { rows } = await client.query("select to_regclass('public.schema_migrations') is not null as exists")
  const applied = rows[0].exists ? await readApplied(client) : []
  return planMigrations(await readMigrations(), applied).map(({ name }) => name)
}

/**
 * Applies the missing migrations, creates missing partitions, and returns the names of the applied
 * migrations.
 */
export async function migrate(url: string, migrations?: readonly Migration[]): Promise<string[]> {
  const files = migrations ?? (await readMigrations())
  return asOwner(url, async (client) => {
    await acquireMigrationLock(client)
    await client.query(`create table if not exists public.schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    const missing = planMigrations(files, await readApplied(client))
    for (const migration of missing) await applyWithRetries(client, migration)
    const { rows } = await client.query('select now() as now')
    await ensurePartitions((text) => client.query(text), rows[0].now)
    return missing.map(({ name }) => name)
  })
}

async function readApplied(client: Client): Promise<Applied[]> {
  const { rows } = await client.query('select name, checksum from public.schema_migrations order by name')
  return rows
}

/**
 * Error codes of conflicts with concurrent requests: nothing was changed, and the migration can be retried.
 */
const lockConflicts = new Set([
  '55P03', // lock not available
  '40P01', // deadlock
])
const maxRuns = 20
/** Lets the sessions queued behind us continue before we try again. */
const pauseMs = 500

async function applyWithRetries(client: Client, migration: Migration): Promise<void> {
  for (let run = 1; ; run += 1) {
    try {
      return await apply(client, migration)
    } catch (error) {
      await client.query('rollback')
      if (run === maxRuns || !lockConflicts.has((error as { code?: string }).code ?? '')) throw error
      await sleep(pauseMs)
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  if (isOutsideTransaction(migration.sql)) {
    await applyOutside(client, migration)
    return recordApplied(client, migration)
  }
  await client.query('begin')
  // Fail and retry instead of waiting behind a long transaction while all other sessions wait behind us.
  await client.query("set local lock_timeout = '2s'")
  await client.query(migration.sql)
  await recordApplied(client, migration)
  await client.query('commit')
}

async function recordApplied(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into public.schema_migrations (name, checksum) values ($1, $2)', [
    name,
    checksum,
  ])
}
