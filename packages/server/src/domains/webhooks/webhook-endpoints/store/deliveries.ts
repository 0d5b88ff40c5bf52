/** Changes deliveries when their endpoint is enabled, disabled or deleted. */
import { sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Move } from '../sweep.ts'

type Endpoint = Id<'webhook_endpoint'>

/**
 * Moves deliveries to another state, oldest first, and returns how many. Each gets a new version, so that a
 * late result of an attempt is ignored. Locked rows, whose result is being written, are skipped to avoid
 * waiting.
 */
export async function moveDeliveries(
  tx: Tx,
  endpoint: Endpoint,
  { move, limit }: { readonly move: Move; readonly limit: number },
): Promise<number> {
  const workspaceId = uuidOf(tx.caller.workspaceId)
  const order = move.from === 'pending' ? sql`due_at` : sql`id`
  const { numAffectedRows } = await sql`
    update deliveries set ${assignments(tx, move)}, version = deliveries.version + 1
    from (
      select id from deliveries
      where workspace_id = ${workspaceId} and webhook_endpoint_id = ${uuidOf(endpoint)} and ${isAffected(move)}
      order by ${order} limit ${limit} for update skip locked
    ) as selected
    where deliveries.workspace_id = ${workspaceId} and deliveries.id = selected.id`.execute(tx.db)
  const moved = Number(numAffectedRows ?? 0)
  if (moved > 0 && move.to === 'pending') tx.wake('webhook_endpoint.deliver', endpoint, tx.now)
  return moved
}

/** Whether deliveries are left to move. */
export async function hasMatchingRows(tx: Tx, endpoint: Endpoint, move: Move): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and webhook_endpoint_id = ${uuidOf(endpoint)}
      and ${isAffected(move)} limit 1`.execute(tx.db)
  return rows.length > 0
}

/** The state is a literal, to match the partial indexes. A held test event is never released. */
function isAffected({ from, to }: Move) {
  return to === 'pending' ? sql`state = 'held' and trigger <> 'test'` : sql`state = ${sql.lit(from)}`
}

/** Released deliveries start a new round, and are sent within the limits of the endpoint. */
function assignments(tx: Tx, { to }: Move) {
  if (to === 'held') return sql`state = 'held'`
  if (to === 'deleted') return sql`state = 'deleted', settled_at = ${tx.now}`
  return sql`state = 'pending', tries = 0, trigger = 'recover', due_at = ${tx.now}, settled_at = null`
}
