/** The disputed amount of a payment. The `disputes` domain writes the rows while holding a lock on the payment. */
import { sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'

/**
 * The amount that the cardholder's bank claims or has already received. In an inquiry the bank claims nothing yet, and
 * a refund may even end the inquiry. The caller has locked the payment, so no dispute can be recorded concurrently.
 */
export async function disputedAmount(tx: Tx, paymentId: Id<'payment'>): Promise<bigint> {
  const { rows } = await sql<{ readonly disputed: bigint }>`
    select coalesce(sum(amount), 0)::int8 as disputed from disputes
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_id = ${uuidOf(paymentId)}
      and stage <> 'inquiry' and status not in ('won', 'closed')`.execute(tx.db)
  return rows[0]?.disputed ?? 0n
}
