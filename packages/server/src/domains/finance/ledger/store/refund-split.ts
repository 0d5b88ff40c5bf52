/** How a refund was split when it was requested. */
import { sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'

type RefundSplitRow = { readonly unapplied: bigint; readonly isApplied: boolean }

/** The amount that a refund request debited to `unapplied`, and whether the payment was applied to an invoice. */
export async function findRefundSplit(
  tx: Tx,
  refundId: Id<'refund'>,
  paymentId: Id<'payment'>,
): Promise<RefundSplitRow> {
  const [workspace, refund, payment] = [tx.caller.workspaceId, refundId, paymentId].map(uuidOf)
  const { rows } = await sql<RefundSplitRow>`
    select coalesce((
        select amount from ledger_postings
        where workspace_id = ${workspace} and id = ledger_posting_id(${refund}::uuid, 0) and debit_account = 'unapplied'),
      0) as unapplied,
      exists (
        select from ledger_postings
        where workspace_id = ${workspace} and id = ledger_posting_id(${payment}::uuid, 0)) as "isApplied"`.execute(
    tx.db,
  )
  return rows[0] as RefundSplitRow
}
