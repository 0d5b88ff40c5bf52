/** Payments of which something has to be asked: an operation of theirs is due. */
import { sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf } from '../../../platform/db/due.ts'

export async function dueForResolving(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<{ workspace_id: string; payment_id: string; due_at: Date; mode: Mode }>`
    select operation.workspace_id, operation.payment_id, min(operation.due_at) as due_at, workspaces.mode
    from (
      select workspace_id, payment_id, due_at from operations where due_at <= ${at} order by due_at limit ${limit}
    ) as operation
      join workspaces on workspaces.workspace_id = operation.workspace_id
    where not exists (
      select from work_failures as failure
      where failure.workspace_id = operation.workspace_id and failure.work = ${work}
        and failure.object_id = operation.payment_id and (failure.parked_at is not null or failure.retry_at > ${at}))
    group by operation.workspace_id, operation.payment_id, workspaces.mode
    order by 3`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('payment', row.mode, row.payment_id),
    dueAt: row.due_at,
  }))
}
