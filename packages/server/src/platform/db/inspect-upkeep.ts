/**
 * How much room the database has left, and what keeps it from tidying up: asked by the user that owns the tables.
 * What that user may not see is null, and the doctor says so instead of guessing.
 */
import type { Client } from 'pg'

export type ConnectionFacts = { readonly used: number; readonly limit: number }

// Of sessions of other users, one without pg_read_all_stats sees the user and the database alone: their kind and their
// transaction are null. Processes of the server itself have neither user nor database.
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
  /** Sessions of which this user may not know whether they have one open. */
  readonly hidden: number
}

/** Of sessions of all databases that this user may see, and of transactions that were prepared and left. */
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
  /** What the server keeps because of it. */
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
  /** Seconds since the last failure, if nothing was archived after it. */
  readonly failingForSeconds: number | null
  readonly lastFailed: string | null
}

export async function archiveFacts(client: Client): Promise<ArchiveFacts> {
  const { rows } = await client.query(`
    select current_setting('archive_mode') <> 'off' as "isOn", last_failed_wal as "lastFailed",
      case when last_failed_time > coalesce(last_archived_time, '-infinity')
        then extract(epoch from clock_timestamp() - coalesce(last_archived_time, last_failed_time))::float8
      end as "failingForSeconds"
    from pg_stat_archiver`)
  return rows[0]
}

export type TidyFacts = {
  /** Tables of which much is dead: the share, of those with more than a hundred thousand dead rows. */
  readonly littered: readonly { readonly table: string; readonly share: number }[]
  /** How many transactions old the oldest row may be. Beyond two billion the server stops. */
  readonly oldestAge: number
}

export async function tidyFacts(client: Client): Promise<TidyFacts> {
  const littered = await client.query(`
    select relname as table, (n_dead_tup::float8 / (n_live_tup + n_dead_tup))::float8 as share
    from pg_stat_user_tables where n_dead_tup > 100000 and n_dead_tup > n_live_tup / 4
    order by n_dead_tup desc limit 6`)
  const age = await client.query(
    'select age(datfrozenxid)::int as age from pg_database where datname = current_database()',
  )
  return { littered: littered.rows, oldestAge: age.rows[0].age }
}

export type RoomFacts = {
  /** Of all databases of the server that this user may see. */
  readonly databaseBytes: number
  /** Null: this user may not look. */
  readonly walBytes: number | null
  /** Where the files lie, on the machine of the server. Null: this user may not know. */
  readonly dataDirectory: string | null
}

export async function roomFacts(client: Client): Promise<RoomFacts> {
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
