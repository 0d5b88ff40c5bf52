/**
 * Queries that the `doctor` command uses to check disk space and database maintenance. They run as the owner
 * of the tables. Values that this user may not see are null, and the doctor reports that.
 */
import type { Client } from 'pg'

export type ConnectionFacts = { readonly used: number; readonly limit: number }

// Without pg_read_all_stats, a user sees only the user and the database of other users' sessions: their
// backend type and transaction are null. Background processes of the server have neither user nor database.
const isHidden = '(backend_type is null and usesysid is not null and datid is not null)'
const isClient = `(backend_type = 'client backend' or ${isHidden})`

export async function connectionFacts(client: Client): Promise<ConnectionFacts> {
  const { rows } = await client.query(`
    select (select count(pid) from pg_stat_activity where ${isClient})::int as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - current_setting('reserved_connections')::int as limit`)
  return rows[0]
}

export type TransactionFacts = {
  readonly oldestSeconds: number
  /** Sessions whose transactions this user may not see. */
  readonly hidden: number
}

/** Covers the sessions of all databases that this user may see, and abandoned prepared transactions. */
export async function transactionFacts(client: Client): Promise<TransactionFacts> {
  const { rows } = await client.query(`
    select coalesce(extract(epoch from clock_timestamp() - least(
      (select min(xact_start) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()),
      (select min(prepared) from pg_prepared_xacts))), 0)::float8 as "oldestSeconds",
      (select count(pid) from pg_stat_activity where ${isHidden})::int as hidden`)
  return rows[0]
}

export type SlotFacts = {
  readonly name: string
  readonly isActive: boolean
  /** The WAL that the server retains for the slot. */
  readonly heldBytes: number
  readonly isLost: boolean
}

export async function slotFacts(client: Client): Promise<readonly SlotFacts[]> {
  const { rows } = await client.query(`
    select slot_name as name, active as "isActive", coalesce(wal_status = 'lost', false) as "isLost",
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as "heldBytes"
    from pg_replication_slots where not temporary order by restart_lsn`)
  return rows
}

export type ArchiveFacts = {
  readonly isOn: boolean
  /**
   * Whether `archive_command` or `archive_library` is set: without one, nothing is archived and nothing
   * fails.
   */
  readonly hasDestination: boolean
  /**
   * Seconds since the last success, or since the last failure if there was no success. Null unless the last
   * attempt failed.
   */
  readonly failingForSeconds: number | null
  readonly lastFailed: string | null
}

export async function archiveFacts(client: Client): Promise<ArchiveFacts> {
  const { rows } = await client.query(`
    select current_setting('archive_mode') <> 'off' as "isOn", last_failed_wal as "lastFailed",
      current_setting('archive_command') || current_setting('archive_library') <> '' as "hasDestination",
      case when last_failed_time > coalesce(last_archived_time, '-infinity')
        then extract(epoch from clock_timestamp() - coalesce(last_archived_time, last_failed_time))::float8
      end as "failingForSeconds"
    from pg_stat_archiver`)
  return rows[0]
}

export type VacuumFacts = {
  /** Tables with more than 100,000 dead rows, and their share of dead rows. */
  readonly bloatedTables: readonly { readonly table: string; readonly share: number }[]
  /** The age of the oldest row in transactions. Beyond two billion the server stops accepting writes. */
  readonly oldestAge: number
}

export async function vacuumFacts(client: Client): Promise<VacuumFacts> {
  const bloated = await client.query(`
    select relname as table, (n_dead_tup::float8 / (n_live_tup + n_dead_tup))::float8 as share
    from pg_stat_user_tables where n_dead_tup > 100000 and n_dead_tup > n_live_tup / 4
    order by n_dead_tup desc limit 6`)
  const age = await client.query(
    'select age(datfrozenxid)::int as age from pg_database where datname = current_database()',
  )
  return { bloatedTables: bloated.rows, oldestAge: age.rows[0].age }
}

export type DiskFacts = {
  /** The size of all databases of the server that this user may see. */
  readonly databaseBytes: number
  /** Null if this user has no permission. */
  readonly walBytes: number | null
  /** The data directory on the database server. Null if this user has no permission. */
  readonly dataDirectory: string | null
}

export async function diskFacts(client: Client): Promise<DiskFacts> {
  const { rows } = await client.query(`
    select (select sum(pg_database_size(oid)) from pg_database
        where has_database_privilege(oid, 'connect'))::float8 as "databaseBytes",
      has_function_privilege('pg_ls_waldir()', 'execute') as "seesWal",
      pg_has_role('pg_read_all_settings', 'usage') as "seesSettings"`)
  const [{ databaseBytes, seesWal, seesSettings }] = rows
  const wal = seesWal ? await client.query('select sum(size)::float8 as bytes from pg_ls_waldir()') : null
  const folder = seesSettings ? await client.query('show data_directory') : null
  return {
    databaseBytes,
    walBytes: wal?.rows[0].bytes ?? null,
    dataDirectory: folder?.rows[0].data_directory ?? null,
  }
}
