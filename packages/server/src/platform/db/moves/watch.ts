/**
 * Ends fences whose mover has stopped, on one shard. While a workspace is closed its writes wait, so this is
 * automatic: the process that runs the reconciler of the shard lifts such a fence, or opens the workspace on the shard to
 * which it was flipped.
 */
import { sql } from 'kysely'
import type { Log } from '../../log.ts'
import type { Shard } from '../databases.ts'
import type { ShardAddress } from '../placements.ts'
import { resolveFence } from './fence.ts'
import { maxFenceMs } from './move.ts'
import { withSides } from './sides.ts'

export type FenceWatchOptions = {
  readonly shard: Shard
  readonly controlUrl: string
  readonly shards: readonly ShardAddress[]
  readonly log: Log
}

type OldFence = { readonly workspace: string; readonly closedAt: string }

/** Returns how many fences it ended. */
export async function resolveOldFences({
  shard,
  controlUrl,
  shards,
  log,
}: FenceWatchOptions): Promise<number> {
  const fences = await shard.as('switchyard_due', async (db) => {
    const { rows } = await sql<OldFence>`
      select workspace_id as workspace, closed_at::text as "closedAt" from placements
      where not is_open and closed_at < now() - ${maxFenceMs} * interval '1 millisecond'`.execute(db)
    return rows
  })
  if (fences.length === 0) return 0
  await withSides(controlUrl, shards, async (sides) => {
    for (const { workspace, closedAt } of fences) {
      const result = await resolveFence(sides, { workspace, shard: shard.name, closedAt })
      log.warn(
        result === 'opened'
          ? 'A workspace that was cut over to this shard was still closed, and has been opened.'
          : 'A workspace was fenced for too long, and its fence was lifted.',
        { shard: shard.name },
      )
    }
  })
  return fences.length
}
