/** The data of a paid invoice that refunds of its payment depend on. */
import { sql } from 'kysely'
import { uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'

export type PaidInvoice = {
  readonly uuid: string
  /** The amount that was paid, including applied credit, minus the amount that credit notes reversed. */
  readonly paid: bigint
  /** The amount that credit notes have returned as customer credit. */
  readonly creditedBalance: bigint
  /** Whether it bills a period of a subscription, so that unused time can be refunded. */
  readonly isForPeriod: boolean
}

/**
 * Locks the invoice. Null if the payment has paid no invoice. Lock order: the subscription before its
 * invoice, so that no unused time is returned concurrently.
 */
export async function lockPaidInvoice(tx: Tx, paymentText: string): Promise<PaidInvoice | null> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const uuid = uuidFromText('payment', tx.caller.mode, paymentText)
  const { rows } = await sql<{
    id: string
    paid: bigint
    credited_balance: bigint
    is_for_period: boolean
  }>`
    with subscription as materialized (
      select from subscriptions
      where workspace_id = ${workspace} and id = (
        select subscription_id from invoices
        where workspace_id = ${workspace}
          and id = (select invoice_id from payments where workspace_id = ${workspace} and id = ${uuid}::uuid))
      for update
    )
    select id, amount_paid + credit_applied - credited_owed as paid, credited_balance,
      subscription_id is not null and reason <> 'usage' as is_for_period
    from invoices
    where workspace_id = ${workspace} and payment_id = ${uuid}::uuid and (select count(1) from subscription) >= 0
      and id = (select invoice_id from payments where workspace_id = ${workspace} and id = ${uuid}::uuid)
    for update`.execute(tx.db)
  const [row] = rows
  return row === undefined
    ? null
    : {
        uuid: row.id,
        paid: row.paid,
        creditedBalance: row.credited_balance,
        isForPeriod: row.is_for_period,
      }
}

/**
 * The amount that was charged for the period of a locked invoice, minus what was returned by refunds, credit
 * notes, credit or disputes.
 */
export async function keptForPeriod(tx: Tx, { uuid }: PaidInvoice): Promise<bigint> {
  const { rows } = await sql<{ kept: bigint }>`
    select kept from kept_for_period(${uuidOf(tx.caller.workspaceId)}::uuid, ${uuid}::uuid)`.execute(tx.db)
  return rows[0]?.kept ?? 0n
}
