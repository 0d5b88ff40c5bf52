/** What becomes of deliveries when their endpoint is enabled, disabled or deleted. */
import { sql } from 'kysely'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Move } from '../sweep.ts'

type Endpoint = Id<'webhook_endpoint'>

/**
 * The oldest first; tells how many there were. Each gets a new version, so that the late result of an attempt
 * is refused. A row whose result is just being written is passed over: neither side waits for the other.
 */
export async function moveDeliveries(
  tx: Tx,
  endpoint: Endpoint,
  { move, limit }: { readonly move: Move; readonly limit: number },
): Promise<number> {
  const workspaceId = uuidOf(tx.caller.workspaceId)
  const order = move.from === 'pending' ? sql`due_at` : sql`id`
  const { numAffectedRows } = await sql`
    update deliveries set ${becoming(tx, move)}, version = deliveries.version + 1
    from (
      select id from deliveries
      where workspace_id = ${workspaceId} and webhook_endpoint_id = ${uuidOf(endpoint)} and ${which(move)}
      order by ${order} limit ${limit} for update skip locked
    ) as found
    where deliveries.workspace_id = ${workspaceId} and deliveries.id = found.id`.execute(tx.db)
  const moved = Number(numAffectedRows ?? 0)
  if (moved > 0 && move.to === 'pending') tx.wake('webhook_endpoint.deliver', endpoint, tx.now)
  return moved
}

/** Whether there are more to move. */
export async function isAnyLeft(tx: Tx, endpoint: Endpoint, move: Move): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and webhook_endpoint_id = ${uuidOf(endpoint)}
      and ${which(move)} limit 1`.execute(tx.db)
  return rows.length > 0
}

/** Literal states: the indexes of those that wait hold nothing else. A trial is sent once or not at all. */
function which({ from, to }: Move) {
  return to === 'pending' ? sql`state = 'held' and trigger <> 'test'` : sql`state = ${sql.lit(from)}`
}

/** What is released goes out as if it were new, at the pace that the endpoint bears. */
function becoming(tx: Tx, { to }: Move) {
  if (to === 'held') return sql`state = 'held'`
  if (to === 'deleted') return sql`state = 'deleted', settled_at = ${tx.now}`
  return sql`state = 'pending', tries = 0, trigger = 'recover', due_at = ${tx.now}, settled_at = null`
}
