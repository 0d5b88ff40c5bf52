/** The role of the database server and the state of its standbys, for readiness, metrics and the doctor. */
import type { ClientBase } from 'pg'

export type Standby = {
  readonly name: string
  /** Such as `sync`, `quorum`, `async`; null if this user may not see it. */
  readonly syncState: string | null
  readonly lagSeconds: number | null
  readonly lagBytes: number | null
}

export type ServerStatus = {
  readonly now: Date
  readonly isStandby: boolean
  /** Whether commits wait for standbys. */
  readonly isSynchronous: boolean
  /** Empty on a standby, and if there are no standbys. */
  readonly standbys: readonly Standby[]
  /** Commits of this user that wait for a standby. */
  readonly waitingCommits: number
  readonly longestCommitWaitMs: number
}

/** Users see the sessions of their own login and no others, unless they have the role `pg_read_all_stats`. */
const waitingCommits = `
  select count(pid)::int as waiting,
    coalesce(extract(epoch from clock_timestamp() - min(query_start)) * 1000, 0)::float8 as longest_ms
  from pg_stat_activity where wait_event = 'SyncRep' and wait_event_type = 'IPC'`

const standbys = `
  select application_name as name, sync_state, extract(epoch from replay_lag)::float8 as lag_seconds,
    case when pg_is_in_recovery() then null else pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 end as lag_bytes
  from pg_stat_replication where state = 'streaming' or state is null order by application_name`

export async function longestCommitWaitMs(client: ClientBase): Promise<number> {
  const { rows } = await client.query(waitingCommits)
  return rows[0].longest_ms
}

export async function readServerStatus(client: ClientBase): Promise<ServerStatus> {
  const { rows } = await client.query(`
    select clock_timestamp() as now, pg_is_in_recovery() as is_standby,
      current_setting('synchronous_standby_names') <> '' as is_synchronous`)
  const { now, is_standby: isStandby, is_synchronous: isSynchronous } = rows[0]
  const { rows: commits } = await client.query(waitingCommits)
  const { rows: standbyRows } = await client.query(standbys)
  return {
    now,
    isStandby,
    isSynchronous,
    standbys: standbyRows.map((row) => ({
      name: row.name,
      syncState: row.sync_state,
      lagSeconds: row.lag_seconds,
      lagBytes: row.lag_bytes,
    })),
    waitingCommits: commits[0].waiting,
    longestCommitWaitMs: commits[0].longest_ms,
  }
}
