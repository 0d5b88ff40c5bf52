/** Sessions whose payment has ended. The query only reads sessions with a payment in progress. */
import { sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { canBeDispatched, type DueRow, instantOf, toDue } from '../../../../platform/db/due.ts'

export async function listDueSessions(db: Db, work: string, now: Reading, limit: number) {
  const instant = instantOf(now)
  const { rows } = await sql<DueRow>`
    select row.workspace_id, row.id, payments.updated_at as due_at, workspaces.mode
    from checkout_sessions as row
      join payments on payments.workspace_id = row.workspace_id and payments.id = row.live_payment_id
      join workspaces on workspaces.workspace_id = row.workspace_id
    where row.live_payment_id is not null
      and payments.status in ('succeeded', 'requires_capture', 'failed', 'cancelled')
      and ${canBeDispatched(work, instant, { workspace: 'row.workspace_id', object: 'row.id' })}
    order by payments.updated_at limit ${limit}`.execute(db)
  return toDue('checkout_session', rows)
}
