/**
 * One process migrates at a time. Whoever waits asks again and again instead of queueing for the lock: a statement that
 * waits keeps its snapshot, and an index that is built concurrently waits until all older snapshots are gone. The two
 * would wait for each other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

const lock = "hashtextextended('switchyard.migrate', 0)"
const askAgainMs = 250
/** An index of a large table takes its time. */
const maxWaitMs = 60 * 60 * 1000

/** A lock of the session: it is held over all transactions, and goes with the connection if we die. */
export async function takeTurn(client: Client, withinMs = maxWaitMs): Promise<void> {
  const endMs = performance.now() + withinMs
  while (!(await tryLock(client))) {
    if (performance.now() > endMs) throw new Error(await whoHasIt(client))
    await sleep(askAgainMs)
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query(`select pg_try_advisory_lock(${lock}) as taken`)
  return rows[0].taken
}

async function whoHasIt(client: Client): Promise<string> {
  const { rows } = await client.query(`
    select pid, left(query, 200) as query from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = ${lock}`)
  const [{ pid, query } = { pid: 'unknown', query: '' }] = rows
  return `Another process is still migrating (its connection is ${pid}, and it runs: ${query}). Run migrate again when it is done.`
}
