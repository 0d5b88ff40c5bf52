/** Payments of which something has to be asked: an operation of theirs is due. */
import { sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf, mayBeHandedOut, ofClock } from '../../../platform/db/due.ts'

export async function dueForResolving(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<{ workspace_id: string; payment_id: string; due_at: Date; mode: Mode }>`
    select operation.workspace_id, operation.payment_id, min(operation.due_at) as due_at, workspaces.mode
    from (
      select row.workspace_id, row.payment_id, row.due_at from operations as row
      where row.due_at <= ${at} and ${ofClock(now, 'row.test_clock_id')}
        and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.payment_id' })}
      order by row.due_at limit ${limit}
    ) as operation
      join workspaces on workspaces.workspace_id = operation.workspace_id
    group by operation.workspace_id, operation.payment_id, workspaces.mode
    order by 3`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('payment', row.mode, row.payment_id),
    dueAt: row.due_at,
  }))
}
