/** What is outstanding about invoices beside a time that has come. */
import { sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf, mayBeHandedOut, ofClock } from '../../../platform/db/due.ts'

type DueRow = { workspace_id: string; id: string; due_at: Date; mode: Mode }

/** Series in which drafts are to be finalized. Many drafts of one are one piece of work. */
export async function dueForFinalizing(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<DueRow>`
    select draft.workspace_id, draft.series_id as id, min(draft.finalize_at) as due_at, workspaces.mode
    from (
      select row.workspace_id, row.series_id, row.finalize_at from invoices as row
      where row.finalize_at <= ${at} and ${ofClock(now, 'row.test_clock_id')}
        and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.series_id' })}
      order by row.finalize_at limit ${limit}
    ) as draft
      join workspaces on workspaces.workspace_id = draft.workspace_id
    group by draft.workspace_id, draft.series_id, workspaces.mode
    order by 3`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('invoice_series', row.mode, row.id),
    dueAt: row.due_at,
  }))
}

/** Invoices whose payment has ended. There are only as many under way as are being collected. */
export async function dueForSettling(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<DueRow>`
    select row.workspace_id, row.id, payments.updated_at as due_at, workspaces.mode
    from invoices as row
      join payments on payments.workspace_id = row.workspace_id and payments.id = row.live_payment_id
      join workspaces on workspaces.workspace_id = row.workspace_id
    where row.live_payment_id is not null and ${ofClock(now, 'row.test_clock_id')}
      and payments.status in ('succeeded', 'failed', 'cancelled')
      and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.id' })}
    order by payments.updated_at limit ${limit}`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('invoice', row.mode, row.id),
    dueAt: row.due_at,
  }))
}
