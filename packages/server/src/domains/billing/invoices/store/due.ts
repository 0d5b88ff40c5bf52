import { sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { canBeDispatched, type DueRow, instantOf, onClockOf, toDue } from '../../../../platform/db/due.ts'

/** Invoices whose pending payment has ended, so that its result can be applied. */
export async function dueForPaymentResult(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<DueRow>`
    select row.workspace_id, row.id, payments.updated_at as due_at, workspaces.mode
    from invoices as row
      join payments on payments.workspace_id = row.workspace_id and payments.id = row.live_payment_id
      join workspaces on workspaces.workspace_id = row.workspace_id
    -- The draft of a checkout, which is already paid, gets its number first.
    where row.live_payment_id is not null and row.finalize_at is null and ${onClockOf(now, 'row.test_clock_id')}
      and payments.status in ('succeeded', 'failed', 'cancelled')
      and ${canBeDispatched(work, at, { workspace: 'row.workspace_id', object: 'row.id' })}
    order by payments.updated_at limit ${limit}`.execute(db)
  return toDue('invoice', rows)
}

/** A settled debit is due only if the bank has returned it, until its invoice is open again. */
export const isReturnedDebit = sql`row.settled_at is not null and row.invoice_id is not null`
