/** Work: what an endpoint's status means for its deliveries, and secrets that have ended. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import * as deliveries from '../store/deliveries.ts'
import * as lanes from '../store/lanes.ts'
import * as secrets from '../store/secrets.ts'
import { lockEndpoint } from '../store.ts'
import { afterSweep, type Move, movesFor, portion } from '../sweep.ts'

export async function sweepWebhookEndpoint(deps: Deps, ref: Ref<'webhook_endpoint'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const endpoint = await lockEndpoint(tx, ref.id)
    // Before the deliveries: whoever writes results may hold those and wait for the lane.
    const sweep = await lanes.lockSweep(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (sweep.sweepAt === null || sweep.sweepAt > tx.now) return

    const moves = movesFor(endpoint, sweep.releaseHeld)
    const moved = await moveAll(tx, ref, moves)
    const someLeft = moved < portion && (await isAnyLeft(tx, ref, moves))
    const nextSecretEndsAt = await secrets.eraseEnded(tx, ref.id)
    await lanes.updateSweep(tx, ref.id, afterSweep(tx.now, sweep, { moved, someLeft, nextSecretEndsAt }))
  })
}

async function moveAll(tx: Tx, { id }: Ref<'webhook_endpoint'>, moves: readonly Move[]): Promise<number> {
  let moved = 0
  for (const move of moves) {
    moved += await deliveries.moveDeliveries(tx, id, { move, limit: portion - moved })
  }
  return moved
}

async function isAnyLeft(tx: Tx, { id }: Ref<'webhook_endpoint'>, moves: readonly Move[]): Promise<boolean> {
  for (const move of moves) if (await deliveries.isAnyLeft(tx, id, move)) return true
  return false
}
