/**
 * Writes ledger postings, in the transaction of the change that they describe. Other domains call it where
 * they change amounts; `postings.ts` decides the accounts.
 */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type LedgerAct, postingsOf, type RefundSplit } from '../postings.ts'
import { findRefundSplit } from '../store/refund-split.ts'

export { splitRefund, taxedAccountOf, unearnedLeftByVoid, unearnedOf, unearnedPartOf } from '../postings.ts'

export function postAct(tx: Tx, act: LedgerAct): void {
  tx.post(postingsOf(act))
}

type RefundOfPayment = {
  readonly refundId: Id<'refund'>
  readonly paymentId: Id<'payment'>
  readonly amount: bigint
}

/**
 * How the amount of a failed refund is divided among the accounts that were debited when it was requested. If
 * the payment was applied to its invoice since then, nothing is returned to `unapplied`.
 */
export async function refundSplitOf(
  tx: Tx,
  { refundId, paymentId, amount }: RefundOfPayment,
): Promise<RefundSplit> {
  const { unapplied, isApplied } = await findRefundSplit(tx, refundId, paymentId)
  return isApplied ? { unapplied: 0n, refunded: amount } : { unapplied, refunded: amount - unapplied }
}
