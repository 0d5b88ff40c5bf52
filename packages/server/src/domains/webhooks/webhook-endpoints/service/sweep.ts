/** Background work: applies the status of an endpoint to its deliveries, and deletes expired secrets. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import * as deliveries from '../store/deliveries.ts'
import * as lanes from '../store/lanes.ts'
import * as secrets from '../store/secrets.ts'
import { lockEndpoint } from '../store.ts'
import { afterSweep, batchSize, type Move, movesForStatus } from '../sweep.ts'

export async function sweepWebhookEndpoint(deps: Deps, ref: Ref<'webhook_endpoint'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const endpoint = await lockEndpoint(tx, ref.id)
    // Lock order: the lane before the deliveries. A writer of results may hold deliveries while it waits for
    // the lane.
    const sweep = await lanes.lockSweep(tx, ref.id)
    // Work can run late or twice, so check whether the sweep is still due.
    if (sweep.sweepAt === null || sweep.sweepAt > tx.now) return

    const moves = movesForStatus(endpoint, sweep.releaseHeld)
    const moved = await moveAll(tx, ref, moves)
    const hasSkippedRows = moved < batchSize && (await hasMatchingRows(tx, ref, moves))
    const nextSecretExpiresAt = await secrets.deleteExpired(tx, ref.id)
    await lanes.updateSweep(
      tx,
      ref.id,
      afterSweep(tx.now, sweep, { moved, hasSkippedRows, nextSecretExpiresAt }),
    )
  })
}

async function moveAll(tx: Tx, { id }: Ref<'webhook_endpoint'>, moves: readonly Move[]): Promise<number> {
  let moved = 0
  for (const move of moves) {
    moved += await deliveries.moveDeliveries(tx, id, { move, limit: batchSize - moved })
  }
  return moved
}

async function hasMatchingRows(
  tx: Tx,
  { id }: Ref<'webhook_endpoint'>,
  moves: readonly Move[],
): Promise<boolean> {
  for (const move of moves) if (await deliveries.hasMatchingRows(tx, id, move)) return true
  return false
}
