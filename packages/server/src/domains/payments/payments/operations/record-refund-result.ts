/** Records the result of a refund. It changes the amounts of the payment, not its status. */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { postAct, refundSplitOf } from '../../../finance/ledger/service/post.ts'
import * as events from '../events.ts'
import type { Observation } from '../observation.ts'
import { isOpen, type Operation, type Payment } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { decideRefund, failureOf, withReviewDeadline } from '../rules/decide.ts'
import { insertConflict } from '../store/conflicts.ts'
import type { PaymentChanges } from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { mailRefund } from './mail-refund.ts'
import type { Progress } from './progress.ts'
import { updateAndEmit } from './update-and-emit.ts'
import { declineOfResult, writeOperation } from './write-result.ts'

type ObservedRefund = {
  readonly payment: Payment
  readonly operation: Operation
  readonly observation: Observation
}

export async function recordRefundResult(tx: Tx, observed: ObservedRefund): Promise<Progress> {
  const { payment, operation, observation } = observed
  const before = await refunds.refundOf(tx, payment.id, operation.refundId as Id<'refund'>)
  const decision = withReviewDeadline(
    decideRefund({ ...observation, operation, byPerson: observation.source === 'person' }),
    operation,
    tx.now,
  )
  writeOperation(tx, operation, decision, observation)
  const { status, dueInSeconds } = decision.operation
  if (status === 'needs_review') return progressOf(payment, await flagForReview(tx, before, observed))
  // A refund that will be resent has not failed yet.
  if (isOpen({ status }) || dueInSeconds !== null) {
    const unresolvedSinceAt = status === 'unknown' ? (before.unresolvedSinceAt ?? tx.now) : null
    return progressOf(payment, await refunds.updateRefund(tx, before, { unresolvedSinceAt }, false))
  }
  return endRefund(tx, before, observed)
}

function progressOf(payment: Payment, refund: Refund): Progress {
  return { id: refund.id, payment, next: null, refund }
}

/** Has an effect only once: repeated reports change nothing. */
async function flagForReview(
  tx: Tx,
  before: Refund,
  { operation, observation }: ObservedRefund,
): Promise<Refund> {
  if (before.review !== null) return before
  if (observation.differs && observation.result.is === 'succeeded') {
    const { amount, currency } = observation.result.money
    const detail = `Requested a refund of ${operation.amount} ${operation.currency}; the provider reports ${amount} ${currency}.`
    await insertConflict(tx, operation, { kind: 'different_amount', detail })
  }
  const after = await refunds.updateRefund(tx, before, { review: 'needs_review' }, true)
  tx.emit(events.refundNeedsReview, { before, after })
  return after
}

async function endRefund(
  tx: Tx,
  before: Refund,
  { payment, operation, observation }: ObservedRefund,
): Promise<Progress> {
  const { result } = observation
  const succeeded = result.is === 'succeeded'
  const refund = await refunds.updateRefund(
    tx,
    before,
    {
      status: succeeded ? 'succeeded' : 'failed',
      unresolvedSinceAt: null,
      review: null,
      ...(succeeded ? { providerReference: result.ref } : { failure: failureOf(declineOfResult(result)) }),
    },
    true,
  )
  tx.emit(succeeded ? events.refundSucceeded : events.refundFailed, { before, after: refund })
  if (succeeded) await mailRefund(tx, payment, refund)
  const amounts = {
    amountRefunding: payment.amountRefunding - operation.amount,
    ...(await postResult(tx, payment, { refund, operation })),
  }
  return progressOf(updateAndEmit(tx, payment, amounts, events.paymentUpdated), refund)
}

/**
 * Records that a refund has failed after the provider reported it as succeeded, as a person confirmed. The
 * provider still has the amount, so it can be refunded again.
 */
export async function returnRefund(
  tx: Tx,
  { payment, operation }: Pick<ObservedRefund, 'payment' | 'operation'>,
): Promise<Progress> {
  const before = await refunds.refundOf(tx, payment.id, operation.refundId as Id<'refund'>)
  const failure = failureOf({ code: 'provider_error' })
  const refund = await refunds.updateRefund(tx, before, { status: 'failed', failure }, true)
  tx.emit(events.refundFailed, { before, after: refund })
  const { amount, providerAccountId } = operation
  const { id: paymentId, currency } = payment
  postAct(tx, { act: 'refund_returned', refundId: refund.id, paymentId, providerAccountId, currency, amount })
  const amounts = {
    amountRefunded: payment.amountRefunded - amount,
    ...(await postResult(tx, payment, { refund, operation })),
  }
  return progressOf(updateAndEmit(tx, payment, amounts, events.paymentUpdated), refund)
}

/** Posts the result, and returns the amounts of the payment that depend on it. */
async function postResult(
  tx: Tx,
  { id: paymentId, currency, amountRefunded, amountUnapplied }: Payment,
  { refund, operation }: { readonly refund: Refund; readonly operation: Operation },
): Promise<Pick<PaymentChanges, 'amountRefunded' | 'amountUnapplied'>> {
  const { id: refundId, status } = refund
  const { amount, providerAccountId } = operation
  if (status === 'succeeded') {
    postAct(tx, { act: 'refund_succeeded', refundId, paymentId, providerAccountId, currency, amount })
    return { amountRefunded: amountRefunded + amount }
  }
  const split = await refundSplitOf(tx, { refundId, paymentId, amount })
  postAct(tx, { act: 'refund_failed', refundId, paymentId, currency, ...split })
  return { amountUnapplied: amountUnapplied + split.unapplied }
}
