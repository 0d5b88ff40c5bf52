/** The moves in progress, as text. */
import type { Client } from 'pg'
import { idFromUuid } from '../../../kernel/id.ts'
import { asOwner } from '../owner.ts'
import type { ShardAddress } from '../placements.ts'
import { type Move, type MoveState, otherShard, replicationPrefix } from './move.ts'
import { listMoves } from './store.ts'

const stateTexts: { readonly [S in MoveState]: string } = {
  copying: 'step 2 of 10: rows are copied',
  linking: 'step 3 of 10: replication back is set up',
  comparing: 'step 4 of 10: rows are compared',
  fencing: 'steps 5 to 7 of 10: the cut-over begins',
  flipped: 'step 8 of 10: cut over, not open yet',
  watching: 'step 9 of 10: watching',
  cleaning: 'step 10 of 10: cleaning up',
}

export async function describeMoves(
  controlUrl: string,
  shards: readonly ShardAddress[],
): Promise<readonly string[]> {
  const moves = await asOwner(controlUrl, async (control) => {
    const modes = await control.query<{ id: string; mode: 'live' | 'test' }>(
      'select id, mode from control.workspaces where id in (select workspace_id from control.moves)',
    )
    const modeOf = new Map(modes.rows.map(({ id, mode }) => [id, mode]))
    return (await listMoves(control)).map((move) => describeMove(move, modeOf.get(move.workspace) ?? 'live'))
  })
  if (moves.length === 0) return ['No workspace is being moved.']
  const slots = await Promise.all(
    shards.map(({ name, ownerUrl }) => asOwner(ownerUrl, (client) => describeSlots(client, name))),
  )
  return [...moves, ...slots.flat()]
}

function describeMove(move: Move, mode: 'live' | 'test'): string {
  const { workspace, active, state, startedAt, changedAt, pauseMs } = move
  const pause = pauseMs === null ? '' : `, writes waited for ${pauseMs} ms`
  return `${idFromUuid('workspace', mode, workspace)}  served by ${active}, other shard ${otherShard(move, active)}, ${stateTexts[state]} since ${changedAt.toISOString()}${pause}. Started ${startedAt.toISOString()}.`
}

async function describeSlots(client: Client, shard: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ slot: string; isActive: boolean; kept: string }>(
    `select slot_name as slot, active as "isActive",
       pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn)) as kept
     from pg_replication_slots where slot_name ^@ $1 and database = current_database() order by 1`,
    [replicationPrefix],
  )
  return rows.map(
    ({ slot, isActive, kept }) =>
      `${shard}  ${slot} ${isActive ? 'is in use' : 'IS NOT IN USE'}, keeps ${kept} of WAL.`,
  )
}
