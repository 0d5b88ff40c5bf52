/** Writes what was learned about a refund. The payment is not moved by it, only its amounts are. */
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { decideRefund, failureOf, withPatience } from '../decide.ts'
import * as events from '../events.ts'
import { isOpen, type Operation, type Payment, type Refund } from '../payment.ts'
import { insertConflict } from '../store/conflicts.ts'
import * as refunds from '../store/refunds.ts'
import type { Progress, Seen } from './record.ts'
import { tell } from './tell.ts'
import { declineIn, writeOperation } from './write.ts'

type Learning = { readonly payment: Payment; readonly operation: Operation; readonly seen: Seen }

export async function recordRefund(tx: Tx, learning: Learning): Promise<Progress> {
  const { payment, operation, seen } = learning
  const before = await refunds.refundOf(tx, payment.id, operation.refundId as Id<'refund'>)
  const decision = withPatience(
    decideRefund({ ...seen, operation, byPerson: seen.byPerson ?? false }),
    operation,
    tx.now,
  )
  await writeOperation(tx, operation, decision, seen)
  const { status, dueInSeconds } = decision.operation
  if (status === 'needs_review') return stay(payment, await needReview(tx, before, learning))
  // One that goes again has not failed yet.
  if (isOpen({ status }) || dueInSeconds !== null) {
    const unresolvedSinceAt = status === 'unknown' ? (before.unresolvedSinceAt ?? tx.now) : null
    return stay(payment, await refunds.updateRefund(tx, before, { unresolvedSinceAt }, false))
  }
  return end(tx, before, learning)
}

function stay(payment: Payment, refund: Refund): Progress {
  return { id: refund.id, payment, next: null, refund }
}

/** Once: a provider that repeats itself does not make it worse. */
async function needReview(tx: Tx, before: Refund, { operation, seen }: Learning): Promise<Refund> {
  if (before.review !== null) return before
  if (seen.differs && seen.learned.is === 'succeeded') {
    const { amount, currency } = seen.learned.money
    const detail = `Asked to give back ${operation.amount} ${operation.currency}; the provider says ${amount} ${currency}.`
    await insertConflict(tx, operation, { kind: 'different_amount', detail })
  }
  const after = await refunds.updateRefund(tx, before, { review: 'needs_review' }, true)
  tx.emit(events.refundNeedsReview, { before, after })
  return after
}

async function end(tx: Tx, before: Refund, { payment, operation, seen }: Learning): Promise<Progress> {
  const { learned } = seen
  const succeeded = learned.is === 'succeeded'
  const refund = await refunds.updateRefund(
    tx,
    before,
    {
      status: succeeded ? 'succeeded' : 'failed',
      unresolvedSinceAt: null,
      review: null,
      ...(succeeded ? { providerReference: learned.ref } : { failure: failureOf(declineIn(learned)) }),
    },
    true,
  )
  tx.emit(succeeded ? events.refundSucceeded : events.refundFailed, { before, after: refund })
  const amounts = {
    amountRefunding: payment.amountRefunding - operation.amount,
    amountRefunded: payment.amountRefunded + (succeeded ? operation.amount : 0n),
  }
  return stay(await tell(tx, payment, amounts, events.paymentUpdated), refund)
}
