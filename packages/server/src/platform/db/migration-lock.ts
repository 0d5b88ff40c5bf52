/**
 * One process migrates at a time. Waiting processes poll the lock instead of blocking on it: a blocked
 * statement keeps its snapshot, and a concurrent index build waits until all older snapshots are gone. The
 * two would deadlock.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

const lock = "hashtextextended('switchyard.migrate', 0)"
const pollIntervalMs = 250
/** Building an index on a large table takes a long time. */
const maxWaitMs = 60 * 60 * 1000

/** A session lock: it spans transactions and is released with the connection if the process crashes. */
export async function acquireMigrationLock(client: Client, withinMs = maxWaitMs): Promise<void> {
  const endMs = performance.now() + withinMs
  while (!(await tryLock(client))) {
    if (performance.now() > endMs) throw new Error(await describeLockHolder(client))
    await sleep(pollIntervalMs)
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query(`select pg_try_advisory_lock(${lock}) as acquired`)
  return rows[0].acquired
}

async function describeLockHolder(client: Client): Promise<string> {
  const { rows } = await client.query(`
    select pid, left(query, 200) as query from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = ${lock}`)
  const [{ pid, query } = { pid: 'unknown', query: '' }] = rows
  return `Another process is still migrating (connection ${pid}, running: ${query}). Run migrate again when it has finished.`
}
