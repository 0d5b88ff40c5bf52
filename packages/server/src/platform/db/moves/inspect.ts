/** What the doctor reports about moves. */
import { sql } from 'kysely'
import type { Client } from 'pg'
import type { Shard } from '../databases.ts'
import { maxFenceMs, replicationPrefix } from './move.ts'
import { listMoves } from './store.ts'

type MoveSlot = {
  readonly name: string
  readonly shard: string
  readonly isActive: boolean
  readonly heldBytes: number
}

export type MoveFacts = {
  /** The source, target and state of each move. */
  readonly moves: readonly string[]
  /** The shards with fences that were not opened in time, one entry for each fence. */
  readonly oldFences: readonly string[]
  readonly slots: readonly MoveSlot[]
}

export async function moveFacts(control: Client, shards: readonly Shard[]): Promise<MoveFacts> {
  const found = await Promise.all(shards.map(shardFacts))
  const moves = (await listMoves(control)).map(
    ({ source, target, state }) => `${source} to ${target} (${state})`,
  )
  return {
    moves,
    oldFences: found.flatMap(({ oldFences }) => oldFences),
    slots: found.flatMap(({ slots }) => slots),
  }
}

function shardFacts(shard: Shard): Promise<Pick<MoveFacts, 'oldFences' | 'slots'>> {
  return shard.as('switchyard_due', async (db) => {
    const fences = await sql`
      select from placements
      where not is_open and closed_at < now() - ${maxFenceMs} * interval '1 millisecond'`.execute(db)
    const slots = await sql<Omit<MoveSlot, 'shard'>>`
      select slot_name as name, active as "isActive",
        coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as "heldBytes"
      from pg_replication_slots where slot_name ^@ ${replicationPrefix} and database = current_database()`.execute(
      db,
    )
    return {
      oldFences: fences.rows.map(() => shard.name),
      slots: slots.rows.map((slot) => ({ ...slot, shard: shard.name })),
    }
  })
}
