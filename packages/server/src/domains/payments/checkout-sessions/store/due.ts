/** Sessions whose payment has ended, or whose debit was submitted. The query only reads sessions with a payment in progress. */
import { sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { canBeDispatched, type DueRow, instantOf, toDue } from '../../../../platform/db/due.ts'

/** A subscription waits for the confirmation: its payment has an invoice, and its session has none. */
export async function listDueSessions(db: Db, work: string, now: Reading, limit: number) {
  const instant = instantOf(now)
  const { rows } = await sql<DueRow>`
    select row.workspace_id, row.id, payments.updated_at as due_at, workspaces.mode
    from checkout_sessions as row
      join payments on payments.workspace_id = row.workspace_id and payments.id = row.live_payment_id
      join workspaces on workspaces.workspace_id = row.workspace_id
    where row.live_payment_id is not null
      and (payments.status in ('succeeded', 'requires_capture', 'failed', 'cancelled')
        or (payments.settlement_expected_at is not null and payments.settled_at is null and row.status = 'processing'
          and (payments.invoice_id is null or row.invoice_id is not null)))
      and ${canBeDispatched(work, instant, { workspace: 'row.workspace_id', object: 'row.id' })}
    order by payments.updated_at limit ${limit}`.execute(db)
  return toDue('checkout_session', rows)
}
