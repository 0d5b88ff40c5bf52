/** Records an observation about an operation, and determines the next step of the payment. */
import type { Deps } from '../../../../deps.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { FirstView, Tx } from '../../../../platform/db/unit-of-work.ts'
import { asRepeat } from '../../../../providers/evidence.ts'
import { callOf, type Observation, type ObservedOperation } from '../observation.ts'
import { type Attempt, endedWithoutCharge, isOpen, type Operation, type Payment } from '../payment.ts'
import {
  type Decision,
  decideAuthorization,
  decideCaptureOrVoid,
  failureOf,
  type PaymentMove,
  withReviewDeadline,
} from '../rules/decide.ts'
import { insertCall } from '../store/calls.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { refundCapture, voidAuthorization } from './add-operation.ts'
import { applyOutcome } from './apply-outcome.ts'
import { withoutDisputedPart } from './automatic-refund.ts'
import { beginNextAttempt } from './begin-attempt.ts'
import { recordCardResult } from './card-budget.ts'
import { detectConflict, recordUnwantedVoid } from './conflicts.ts'
import { shouldFailOver } from './failover.ts'
import { currentProgress, type Progress } from './progress.ts'
import { recordRefundResult } from './record-refund-result.ts'
import { clearUnresolved } from './update-and-emit.ts'
import { declineOfResult, writeAttempt, writeOperation } from './write-result.ts'

/** A locked payment with its operations and attempts. */
export type LockedPayment = {
  readonly payment: Payment
  readonly operations: readonly Operation[]
  readonly attempts: readonly Attempt[]
}

export async function lockWithOperations(view: FirstView, paymentId: Id<'payment'>): Promise<LockedPayment> {
  // The statements are pipelined. The lock comes first, so that the others see all writes committed before
  // it.
  const [payment, all, attempts] = await Promise.all([
    store.lockPayment(view, paymentId),
    operations.listOperations(view, paymentId),
    operations.listAttempts(view, paymentId),
  ])
  return { payment, operations: all, attempts }
}

export async function recordResult(
  deps: Deps,
  tx: Tx,
  { payment, operations: all, attempts }: LockedPayment,
  operationId: Id<'operation'>,
  observed: Observation,
): Promise<Progress> {
  const operation = all.find(({ id }) => id === operationId)
  if (operation === undefined) return currentProgress(tx, payment)
  const attempt = attempts.find(({ id }) => id === operation.attemptId) as Attempt
  // A result was inferred from the operation as it was read. The operation may have changed since, for
  // example because the payer has returned.
  if ('ifVersion' in observed && observed.ifVersion !== operation.version) return currentProgress(tx, payment)
  const observation = afterTakeover(operation, observed)
  const call = callOf(observation)?.call
  if (call !== undefined) insertCall(tx, operation, call)
  return recordObservation(deps, tx, { payment, attempt, operation, observation, attempts })
}

/**
 * If the operation is no longer `sending`, the resolver may have repeated the request. Then a report that the
 * first request was not sent, or was rejected before it was processed, proves nothing.
 */
function afterTakeover(operation: Operation, observation: Observation): Observation {
  if (observation.source === 'person') return observation
  if (observation.source === 'rule') return observation
  return operation.status === 'sending'
    ? observation
    : { ...observation, result: asRepeat(observation.result) }
}

async function recordObservation(
  deps: Deps,
  tx: Tx,
  { attempts, ...rest }: ObservedAttempt,
): Promise<Progress> {
  const { payment, attempt, operation } = rest
  // An operation that has ended never changes. A late report is only compared with the recorded outcome.
  if (!isOpen(operation)) {
    const current = { ...(await currentProgress(tx, payment)), ...(await refundProgress(tx, operation)) }
    return { ...current, ...(await detectConflict(tx, rest)) }
  }
  if (operation.refundId !== null) return recordRefundResult(tx, rest)
  if (endedWithoutCharge(attempt))
    return { ...(await currentProgress(tx, payment)), ...(await recordUnwantedVoid(tx, rest)) }
  return recordOnActiveAttempt(deps, tx, { ...rest, attempts })
}

type ObservedAttempt = ObservedOperation & { readonly attempts: readonly Attempt[] }

async function recordOnActiveAttempt(deps: Deps, tx: Tx, observed: ObservedAttempt): Promise<Progress> {
  const { payment, attempt, operation, attempts, observation } = observed
  const mayFailOver = await shouldFailOver(deps, tx, observed)
  const decision = withReviewDeadline(
    decisionOf(observed, mayFailOver),
    operation,
    tx.now,
    payment.settlement,
  )
  writeOperation(tx, operation, decision, observation)
  writeAttempt(tx, attempt, decision, observation)
  await recordCardResult(tx, payment, attempt, { operation, observation })
  const resolved = clearUnresolved(tx, payment, decision)
  if (decision.failsOver) {
    const tried = attempts.map(({ providerAccountId }) => providerAccountId)
    const next = await beginNextAttempt(deps, tx, resolved, tried)
    if (next !== null) return next
  }
  const after = await applyOutcome(tx, resolved, operation, {
    move: moveOf(decision, observation),
    observation,
  })
  return undoIfCancelled(tx, { before: resolved, after, operation })
}

/** A refund request returns the refund, even if a provider event had already ended it. */
async function refundProgress(tx: Tx, { paymentId, refundId }: Operation): Promise<Partial<Progress>> {
  if (refundId === null) return {}
  const refund = await refunds.refundOf(tx, paymentId, refundId)
  return { id: refund.id, refund }
}

type AppliedOutcome = { readonly before: Payment; readonly after: Payment; readonly operation: Operation }

/** If a cancellation was requested in the meantime, voids the authorization or refunds the capture. */
async function undoIfCancelled(tx: Tx, { before, after, operation }: AppliedOutcome): Promise<Progress> {
  if (after.cancelRequestedAt === null || after.status === before.status) return currentProgress(tx, after)
  if (after.status === 'requires_capture' && operation.kind !== 'void')
    return voidAuthorization(tx, after, {})
  const captured = after.amountCaptured - before.amountCaptured
  if (after.status !== 'succeeded' || captured === 0n) return currentProgress(tx, after)
  const { payment, amount } = await withoutDisputedPart(tx, after, captured)
  if (amount === 0n) return currentProgress(tx, payment)
  const { refund: _, ...progress } = await refundCapture(tx, payment, {
    amount,
    reason: 'other',
    source: 'automatic',
    metadata: {},
  })
  return progress
}

function decisionOf(
  { payment, attempt, operation, observation }: ObservedAttempt,
  mayFailOver: boolean,
): Decision {
  const facts = {
    payment,
    attempt,
    operation,
    result: observation.result,
    differs: observation.differs,
    mayFailOver,
    byPerson: observation.source === 'person',
  }
  const isAuthorization = operation.kind === 'authorize' || operation.kind === 'verify'
  return isAuthorization ? decideAuthorization(facts) : decideCaptureOrVoid(facts)
}

/** If the route allows failover but no account is left, the payment fails. */
function moveOf({ failsOver, payment }: Decision, { result }: Observation): PaymentMove {
  if (!failsOver) return payment
  return { on: 'attempt_failed', failure: failureOf(declineOfResult(result)) }
}
