/**
 * Posts the history of a payment from before the ledger existed, if the payment changes before the backfill
 * has read it.
 */
import type { Id } from '../../../../kernel/id.ts'
import { insertMissingPostings } from '../../../../platform/db/postings.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { derivePayment } from '../payment-history.ts'
import { findUnappliedPayment } from '../store/payment-histories.ts'

export type PayableAmounts = {
  readonly id: Id<'payment'>
  readonly invoiceId: Id<'invoice'> | null
  readonly cancelRequestedAt: Date | null
  readonly amountCaptured: bigint
  readonly amountRefunding: bigint
  readonly amountRefunded: bigint
  readonly amountReversed: bigint
  readonly amountUnapplied: bigint
}

/**
 * The unapplied amount of a payment that the caller has locked and not changed yet. Money that was captured before the
 * ledger existed is not in the column, so the capture is posted first: what is refunded or applied next must be taken from
 * the same account.
 */
export async function completeUnapplied(tx: Tx, payment: PayableAmounts): Promise<bigint> {
  const { id, invoiceId, cancelRequestedAt, amountUnapplied } = payment
  const mayBeUnapplied = invoiceId !== null || cancelRequestedAt !== null
  const kept = payment.amountCaptured - payment.amountRefunding - payment.amountRefunded
  // A return always has its posting, because returns were introduced after the ledger.
  const isReversed = payment.amountReversed > 0n
  if (!mayBeUnapplied || isReversed || amountUnapplied === kept) return amountUnapplied
  const history = await findUnappliedPayment(tx, id)
  const derived = history === null ? null : derivePayment(history)
  if (derived === null) return amountUnapplied
  await insertMissingPostings({ db: tx.db, workspaceId: tx.caller.workspaceId }, derived.missing)
  return derived.amountUnapplied
}
