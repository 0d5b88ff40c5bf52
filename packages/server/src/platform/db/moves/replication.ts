/**
 * Logical replication of one workspace from one shard to another. Every step can be repeated: existing
 * objects are kept, and missing objects are not dropped again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { monotonicMs } from '../../../kernel/clock.ts'
import { MoveError } from './errors.ts'
import { type Move, otherShard, replicationName } from './move.ts'
import { inOneMessage, quote, type Side, type Sides, withoutTriggers } from './sides.ts'
import { describeTables, findMovedTables, type MovedTable } from './tables.ts'

const markerPollMs = 2
const dropRetryMs = 100
const maxDropMs = 15_000

/**
 * Publishes the rows of the workspace, and creates the slot that retains the log of their changes from now
 * on.
 */
export async function publish(move: Move, from: Side): Promise<void> {
  const name = replicationName(move, from.name)
  const { client } = from
  if (!(await exists(client, 'from pg_publication where pubname = $1', name))) {
    const tables = (await findMovedTables(client)).map((table) => publishedTable(table, move.workspace))
    // Partitions may differ between the shards, so rows are published as rows of the partitioned table.
    await client.query(
      `create publication ${name} for table ${tables.join(', ')} with (publish_via_partition_root = true)`,
    )
  }
  // Created separately, because a subscription cannot create a slot on its own server. The slot survives a
  // failover.
  if (!(await exists(client, 'from pg_replication_slots where slot_name = $1', name)))
    await client.query(`select pg_create_logical_replication_slot($1, 'pgoutput', false, false, true)`, [
      name,
    ])
}

const publishedTable = ({ name, columns, isPartial }: MovedTable, workspace: string) =>
  `${name}${isPartial ? ` (${columns.join(', ')})` : ''} where (workspace_id = '${workspace}')`

export function isSubscribed(move: Move, from: Side, to: Side): Promise<boolean> {
  return exists(
    to.client,
    `from pg_subscription where ${ownSubscription} and subname = $1`,
    replicationName(move, from.name),
  )
}

/** The catalog lists the subscriptions of all databases of the server. */
const ownSubscription = `subdbid = (select oid from pg_database where datname = current_database())`

/** Changes that were themselves replicated are not sent back. */
export async function subscribe(
  move: Move,
  { from, to, copies }: { readonly from: Side; readonly to: Side; readonly copies: boolean },
): Promise<void> {
  const name = replicationName(move, from.name)
  const { rows } = await to.client.query<{ address: string }>('select quote_literal($1) as address', [
    from.url,
  ])
  await to.client.query(
    `create subscription ${name} connection ${rows[0]?.address} publication ${name}
     with (create_slot = false, slot_name = '${name}', copy_data = ${copies}, origin = none, failover = true)`,
  )
}

/** How many tables were copied completely, and the total number of tables. */
export async function copyProgress(move: Move, from: Side, to: Side): Promise<{ done: number; all: number }> {
  const { rows } = await to.client.query<{ done: number; all: number }>(
    `select count(srrelid) filter (where srsubstate = 'r')::int as done, count(srrelid)::int as all
     from pg_subscription_rel join pg_subscription on pg_subscription.oid = srsubid
     where ${ownSubscription} and subname = $1`,
    [replicationName(move, from.name)],
  )
  return rows[0] ?? { done: 0, all: 0 }
}

/** Fails if one of the slots lost its place in the log, or if the tables have changed since the move began. */
export async function requireReplication(move: Move, sides: Sides): Promise<void> {
  for (const from of [sides.of(move.source), sides.of(move.target)]) {
    const name = replicationName(move, from.name)
    const slots = await from.client.query<{ lost: boolean }>(
      `select wal_status = 'lost' as lost from pg_replication_slots where slot_name = $1`,
      [name],
    )
    if (slots.rows[0]?.lost !== false)
      throw new MoveError(`The replication slot ${name} on ${from.name} is lost. ${startAgain}`)
    const published = await from.client.query<{ name: string; columns: string[] }>(
      `select format('%I.%I', schemaname, tablename) as name,
         (select array_agg(quote_ident(column_name)) from unnest(attnames) as column_name) as columns
       from pg_publication_tables where pubname = $1 order by 1`,
      [name],
    )
    if (describeTables(published.rows) !== describeTables(await findMovedTables(from.client)))
      throw new MoveError(
        `The tables of ${from.name} were changed by a migration since the move began. ${startAgain}`,
      )
  }
}

const startAgain = 'End the move with --back and cells clean-up, and start it again.'

/** Writes the marker. Everything that was committed on the shard earlier is replicated before the marker. */
export const writeMarker = (workspace: string, marker: string) =>
  `insert into workspace_moves (workspace_id, marker) values (${quote(workspace)}, ${quote(marker)})
   on conflict (workspace_id) do update set marker = excluded.marker`

/**
 * Whether the marker arrives within this time. Everything that was committed before it has then arrived as
 * well.
 */
export async function hasArrived(
  { client }: Side,
  { workspace, marker }: { readonly workspace: string; readonly marker: string },
  withinMs: number,
): Promise<boolean> {
  const startedMs = monotonicMs()
  for (;;) {
    const text = 'from workspace_moves where workspace_id = $1 and marker = $2'
    if (await exists(client, text, workspace, marker)) return true
    if (monotonicMs() - startedMs > withinMs) return false
    await sleep(markerPollMs)
  }
}

/** Ends the replication in both directions. */
export async function stopReplication(move: Move, sides: Sides): Promise<void> {
  for (const from of [sides.of(move.source), sides.of(move.target)]) {
    const name = replicationName(move, from.name)
    const to = sides.of(otherShard(move, from.name))
    if (await isSubscribed(move, from, to)) {
      await to.client.query(`alter subscription ${name} disable`)
      // The slot is dropped below, after the process that uses it has ended.
      await to.client.query(`alter subscription ${name} set (slot_name = none)`)
      await to.client.query(`drop subscription ${name}`)
    }
    await dropSlot(from.client, name)
    await from.client.query(`drop publication if exists ${name}`)
  }
}

async function dropSlot(client: Client, name: string): Promise<void> {
  const startedMs = monotonicMs()
  const slot = 'from pg_replication_slots where slot_name = $1'
  while (await exists(client, slot, name)) {
    await client.query(`select pg_terminate_backend(active_pid) ${slot} and active_pid is not null`, [name])
    await client
      .query(`select pg_drop_replication_slot(slot_name) ${slot} and active_pid is null`, [name])
      .catch((error) => {
        // 55006: the process that uses it has not ended yet.
        if (error.code !== '55006' || monotonicMs() - startedMs > maxDropMs) throw error
      })
    await sleep(dropRetryMs)
  }
}

const deleteBatch = 5_000

/** Deletes the rows of a workspace in batches, on a shard where it is not open. Returns how many. */
export async function deleteRows({ client }: Side, workspace: string): Promise<number> {
  let deleted = 0
  for (const { name } of await findMovedTables(client))
    for (const partition of await leavesOf(client, name))
      for (;;) {
        const [, { rowCount = 0 } = {}] = await inOneMessage(client, [
          withoutTriggers,
          `delete from ${partition} where ctid = any(array(
             select ctid from ${partition} where workspace_id = ${quote(workspace)}
               and exists (select from placements where workspace_id = ${quote(workspace)} and is_open)
             limit ${deleteBatch}))`,
        ])
        deleted += rowCount ?? 0
        if ((rowCount ?? 0) < deleteBatch) break
      }
  await deleteSecurityCodes(client, workspace)
  return deleted
}

async function deleteSecurityCodes(client: Client, workspace: string): Promise<void> {
  await client.query('delete from vault.security_codes where workspace_id = $1', [workspace])
}

/** The partitions that contain the rows of the table: a `ctid` identifies a row only within its partition. */
async function leavesOf(client: Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select relid::regclass::text as name from pg_partition_tree($1::regclass) where isleaf',
    [table],
  )
  return rows.length === 0 ? [table] : rows.map(({ name }) => name)
}

export async function exists(client: Client, text: string, ...values: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(`select exists (select ${text}) as exists`, [...values])
  return rows[0]?.exists === true
}
