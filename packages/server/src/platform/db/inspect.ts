/** What the database knows of itself, for the doctor: asked by the user that owns the tables, who sees no tenant. */
import { sql } from 'kysely'
import type { Client } from 'pg'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Db } from './databases.ts'
import { countStrays, partitionedTables, stretchOf } from './partitions.ts'

export type ServerFacts = {
  readonly version: string
  readonly isStandby: boolean
  readonly sizeBytes: bigint
  /** Whether the user of requests could see every tenant, whatever the policies say. */
  readonly passesPolicies: boolean
}

export async function serverFacts(client: Client): Promise<ServerFacts> {
  const { rows } = await client.query(`
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby,
      pg_database_size(current_database())::text as size,
      coalesce((select rolsuper or rolbypassrls from pg_roles where rolname = 'switchyard_app'), true) as passes`)
  const [{ version, is_standby: isStandby, size, passes }] = rows
  return { version, isStandby, sizeBytes: BigInt(size), passesPolicies: passes }
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

/** A master key that a workspace needs and that is none of these; null if there is none. */
export async function findForeignMasterKey(db: Db, known: readonly string[]): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select master_key_id as id from workspace_keys where master_key_id <> all(${known}::text[]) limit 1`.execute(
    db,
  )
  return rows[0]?.id ?? null
}
