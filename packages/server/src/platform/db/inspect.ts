/** Queries of the doctor about the database. They run as the owner of the tables, who sees no tenant data. */
import { sql } from 'kysely'
import type { Client } from 'pg'
import { monotonicMs } from '../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../kernel/id.ts'
import type { Db } from './databases.ts'
import { findStrayRows, partitionedTables, partitionRangeOf } from './partitions.ts'
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

/** The roles of the service; see the migrations. */
const serviceRoles = ['app', 'due', 'log', 'control', 'delivery', 'vault'].map((name) => `switchyard_${name}`)

export type RoleFacts = {
  readonly missing: readonly string[]
  /** Roles that bypass row-level security, regardless of the policies. */
  readonly bypassing: readonly string[]
}

export async function roleFacts(client: Client): Promise<RoleFacts> {
  const { rows } = await client.query<{ name: string; bypasses: boolean }>(
    'select rolname as name, rolsuper or rolbypassrls as bypasses from pg_roles where rolname = any($1) order by rolname',
    [serviceRoles],
  )
  return {
    missing: serviceRoles.filter((name) => !rows.some((row) => row.name === name)),
    bypassing: rows.filter(({ bypasses }) => bypasses).map(({ name }) => name),
  }
}

/**
 * Tables with workspace data but without row-level security. There are none unless the schema was changed
 * by hand.
 */
export async function unprotectedTables(client: Client): Promise<readonly string[]> {
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
  /** Missing partitions for the current time. */
  readonly missingNow: readonly string[]
  /** Missing partitions for the next period. */
  readonly missingNext: readonly string[]
  /** Tables with rows in their default partition. */
  readonly strays: readonly string[]
}

export async function partitionFacts(client: Client): Promise<PartitionFacts> {
  const { rows } = await client.query(
    `
    select inhrelid::regclass::text as name, now() as now from pg_inherits
    where inhparent::regclass::text = any($1)`,
    [partitionedTables.map(({ table }) => table)],
  )
  const existing = new Set(rows.map(({ name }) => name))
  const now: Date = rows[0]?.now ?? (await client.query('select now() as now')).rows[0].now
  const missing = (steps: number) =>
    partitionedTables
      .map((table) => partitionRangeOf(table, now, steps).name)
      .filter((name) => !existing.has(name))
  const strays = await findStrayRows((text) => client.query(text))
  return {
    missingNow: missing(0),
    missingNext: missing(1),
    strays: strays.filter((result) => result.strays).map(({ table }) => table),
  }
}

/** The difference between the clocks of this machine and of the database. */
export async function clockSkewMs(client: Client, machineTime: () => Date): Promise<number> {
  const startedMs = monotonicMs()
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const tookMs = monotonicMs() - startedMs
  // Assume that the response took half of the round trip.
  return machineTime().getTime() - tookMs / 2 - (rows[0] as { now: Date }).now.getTime()
}

/** One workspace key encrypted with that master key; null if there is none. */
export async function findKeyWrappedBy(db: Db, masterKeyId: string): Promise<WrappedKey | null> {
  const { rows } = await sql<{ id: string; mode: Mode; number: number; wrapped: Buffer }>`
    select workspace_id as id, mode, number, wrapped from workspace_keys join workspaces using (workspace_id)
    where master_key_id = ${masterKeyId} limit 1`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const workspaceId = idFromUuid('workspace', row.mode, row.id)
  return { workspaceId, number: row.number, masterKeyId, wrapped: row.wrapped }
}

/** A master key that a workspace needs and that is not in `listed`; null if there is none. */
export async function findUnlistedMasterKey(db: Db, listed: readonly string[]): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select master_key_id as id from workspace_keys where master_key_id <> all(${listed}::text[]) limit 1`.execute(
    db,
  )
  return rows[0]?.id ?? null
}

/** The age of the oldest audit entry that is not in the log of its workspace; 0 if there is none. */
export async function oldestWaitingAuditSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0))::float8 as seconds
    from control.audit_outbox`.execute(db)
  return rows[0]?.seconds ?? 0
}

export type BinImport = { readonly prefixes: number; readonly importedAt: Date }

/** The last import of a BIN table; null if there was none. */
export async function lastBinImport(db: Db): Promise<BinImport | null> {
  const row = await db
    .selectFrom('control.card_bin_imports')
    .select(['prefixes', 'imported_at'])
    .executeTakeFirst()
  return row === undefined ? null : { prefixes: row.prefixes, importedAt: row.imported_at }
}
