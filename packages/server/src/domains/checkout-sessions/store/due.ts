/** Sessions whose payment has ended. There are only as many under way as people are paying. */
import { sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { type DueRow, dueOf, instantOf, mayBeHandedOut } from '../../../platform/db/due.ts'

export async function dueForSettling(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<DueRow>`
    select row.workspace_id, row.id, payments.updated_at as due_at, workspaces.mode
    from checkout_sessions as row
      join payments on payments.workspace_id = row.workspace_id and payments.id = row.live_payment_id
      join workspaces on workspaces.workspace_id = row.workspace_id
    where row.live_payment_id is not null
      and payments.status in ('succeeded', 'requires_capture', 'failed', 'cancelled')
      and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.id' })}
    order by payments.updated_at limit ${limit}`.execute(db)
  return dueOf('checkout_session', rows)
}
