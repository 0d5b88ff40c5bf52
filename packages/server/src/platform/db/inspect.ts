/** What the database knows of itself, for the doctor: asked by the user that owns the tables, who sees no tenant. */
import { sql } from 'kysely'
import type { Client } from 'pg'
import { monotonicMs } from '../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../kernel/id.ts'
import type { Db } from './databases.ts'
import { countStrays, partitionedTables, stretchOf } from './partitions.ts'
import type { WrappedKey } from './workspace-keys.ts'

export type ServerFacts = {
  readonly version: string
  readonly isStandby: boolean
  readonly sizeBytes: bigint
}

export async function serverFacts(client: Client): Promise<ServerFacts> {
  const { rows } = await client.query(`
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby,
      pg_database_size(current_database())::text as size`)
  const [{ version, is_standby: isStandby, size }] = rows
  return { version, isStandby, sizeBytes: BigInt(size) }
}

/** What the service acts as, see the migrations. */
const actingRoles = ['app', 'due', 'log', 'control', 'delivery', 'vault'].map((name) => `switchyard_${name}`)

export type RoleFacts = {
  readonly missing: readonly string[]
  /** Row-level security does not hold for these, whatever the policies say. */
  readonly passing: readonly string[]
}

export async function roleFacts(client: Client): Promise<RoleFacts> {
  const { rows } = await client.query<{ name: string; passes: boolean }>(
    'select rolname as name, rolsuper or rolbypassrls as passes from pg_roles where rolname = any($1) order by rolname',
    [actingRoles],
  )
  return {
    missing: actingRoles.filter((name) => !rows.some((row) => row.name === name)),
    passing: rows.filter(({ passes }) => passes).map(({ name }) => name),
  }
}

/** Tables that workspaces own and that do not keep them apart. There are none, unless somebody changed that by hand. */
export async function openTables(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query(`
    select relname from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'workspace_id' and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and not (relrowsecurity and relforcerowsecurity
        and exists (select from pg_policy where polrelid = pg_class.oid))
    order by relname`)
  return rows.map(({ relname }) => relname)
}

export type PartitionFacts = {
  /** Stretches of today that are not there. */
  readonly missingNow: readonly string[]
  /** The next ones. */
  readonly missingNext: readonly string[]
  /** Tables with rows that no stretch took. */
  readonly strays: readonly string[]
}

export async function partitionFacts(client: Client): Promise<PartitionFacts> {
  const { rows } = await client.query(
    `
    select inhrelid::regclass::text as name, now() as now from pg_inherits
    where inhparent::regclass::text = any($1)`,
    [partitionedTables.map(({ table }) => table)],
  )
  const there = new Set(rows.map(({ name }) => name))
  const now: Date = rows[0]?.now ?? (await client.query('select now() as now')).rows[0].now
  const missing = (steps: number) =>
    partitionedTables.map((table) => stretchOf(table, now, steps).name).filter((name) => !there.has(name))
  const strays = await countStrays((text) => client.query(text))
  return {
    missingNow: missing(0),
    missingNext: missing(1),
    strays: strays.filter((one) => one.strays).map(({ table }) => table),
  }
}

/** How far the clock of this machine is off that of the database. */
export async function clockSkewMs(client: Client, machineTime: () => Date): Promise<number> {
  const startedMs = monotonicMs()
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const tookMs = monotonicMs() - startedMs
  // The answer was on its way for about half of that.
  return machineTime().getTime() - tookMs / 2 - (rows[0] as { now: Date }).now.getTime()
}

/** Some key of a workspace that is sealed with that master key; null if none is. */
export async function someKeyUnder(db: Db, masterKeyId: string): Promise<WrappedKey | null> {
  const { rows } = await sql<{ id: string; mode: Mode; number: number; wrapped: Buffer }>`
    select workspace_id as id, mode, number, wrapped from workspace_keys join workspaces using (workspace_id)
    where master_key_id = ${masterKeyId} limit 1`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const workspaceId = idFromUuid('workspace', row.mode, row.id)
  return { workspaceId, number: row.number, masterKeyId, wrapped: row.wrapped }
}

/** A master key that a workspace needs and that is none of these; null if there is none. */
export async function findForeignMasterKey(db: Db, known: readonly string[]): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select master_key_id as id from workspace_keys where master_key_id <> all(${known}::text[]) limit 1`.execute(
    db,
  )
  return rows[0]?.id ?? null
}
