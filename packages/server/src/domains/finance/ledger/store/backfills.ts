/** Stores the position of the backfill of each workspace, and locks the objects that it completes. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Backfill, Stage } from '../backfill.ts'

/** Locks the position, so that concurrent runs continue one after another. Null if the backfill is done. */
export async function lockBackfill(tx: Tx): Promise<Backfill | null> {
  const row = await tx.db
    .selectFrom('ledger_backfills')
    .select(['stage', 'after_id', 'walk_started_at', 'found_missing', 'created_at', 'due_at'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('done_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    stage: row.stage as Stage,
    afterUuid: row.after_id,
    walkStartedAt: row.walk_started_at,
    foundMissing: row.found_missing,
    createdAt: row.created_at,
    dueAt: row.due_at,
  }
}

export async function updateBackfill(tx: Tx, after: Backfill): Promise<void> {
  await tx.db
    .updateTable('ledger_backfills')
    .set({
      stage: after.stage,
      after_id: after.afterUuid,
      walk_started_at: after.walkStartedAt,
      found_missing: after.foundMissing,
      due_at: after.dueAt,
      done_at: after.dueAt === null ? tx.now : null,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .execute()
  tx.wake('ledger.backfill', tx.caller.workspaceId, after.dueAt)
}

/** Starts the backfill, even if there was none or if it is done. */
export async function upsertBackfill(tx: Tx): Promise<void> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await sql`
    insert into ledger_backfills as backfill (workspace_id, id, created_at, due_at)
    values (${workspace}, ${workspace}, ${tx.now}, ${tx.now})
    on conflict (workspace_id) do update set stage = excluded.stage, after_id = excluded.after_id,
      walk_started_at = null, found_missing = false, created_at = excluded.created_at, due_at = excluded.due_at,
      done_at = null
    where backfill.workspace_id = excluded.workspace_id`.execute(tx.db)
  tx.wake('ledger.backfill', tx.caller.workspaceId, tx.now)
}

const tables = { payment: 'payments', invoice: 'invoices' } as const
export type Backfilled = keyof typeof tables

/**
 * Locks the objects that no other transaction has locked. It does not wait for the others, so it cannot be
 * part of a deadlock.
 */
export async function lockFree<K extends Backfilled>(
  tx: Tx,
  kind: K,
  ids: readonly Id<K>[],
): Promise<Id<K>[]> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from ${sql.table(tables[kind])}
    where workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and id = any(${ids.map(uuidOf)}::uuid[])
    order by id for update skip locked`.execute(tx.db)
  return rows.map(({ id }) => idFromUuid(kind, tx.caller.mode, id))
}
