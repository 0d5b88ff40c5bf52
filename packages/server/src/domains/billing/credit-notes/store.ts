/** The limits of a credit note that depend on the subscription of its invoice. */
import { sql } from 'kysely'
import { type Id, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'

/** Locks the subscription of an invoice, so that no unused time of its period is returned concurrently. */
export async function lockSubscriptionOf(tx: Tx, invoiceText: string): Promise<void> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const uuid = uuidFromText('invoice', tx.caller.mode, invoiceText)
  await sql`
    select from subscriptions
    where workspace_id = ${workspace}
      and id = (select subscription_id from invoices where workspace_id = ${workspace} and id = ${uuid}::uuid)
    for update`.execute(tx.db)
}

/**
 * The amount charged for the period of an invoice that credit notes, refunds and changes have not returned.
 */
export async function keptForPeriod(view: View, invoiceId: Id<'invoice'>): Promise<bigint> {
  const { rows } = await sql<{ kept: bigint }>`
    select kept from kept_for_period(${uuidOf(view.caller.workspaceId)}::uuid, ${uuidOf(invoiceId)}::uuid)`.execute(
    view.db,
  )
  return rows[0]?.kept ?? 0n
}
