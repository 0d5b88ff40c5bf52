/** Locks for objects that do not exist yet, and so have no row to lock. They end with the transaction. */
import { sql } from 'kysely'
import { uuidOf } from '../../kernel/id.ts'
import type { Tx } from './unit-of-work.ts'

export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx.db)
}

/**
 * Returns whether the workspace has fewer than `max` objects that are not deleted. Concurrent creations wait until the
 * transaction ends, so that the limit is exact.
 */
export async function lockAndCheckLimit(
  tx: Tx,
  table: 'export_destinations' | 'webhook_endpoints',
  max: number,
): Promise<boolean> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await lockName(tx, `${table} of ${workspace}`)
  const existing = await tx.db
    .selectFrom(table)
    .select('id')
    .where('workspace_id', '=', workspace)
    .where('deleted_at', 'is', null)
    .limit(max)
    .execute()
  return existing.length < max
}
