/**
 * Handles a provider report that contradicts an operation that has ended. The recorded outcome stays, the
 * conflict is recorded, and an event is emitted. An authorization for a failed attempt is voided immediately;
 * a charge, or a failure that is reported after a success, needs review.
 */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import type { ObservedOperation } from '../observation.ts'
import { endedWithoutCharge, isOpen, type Operation, type Payment } from '../payment.ts'
import { decideCaptureOrVoid, withReviewDeadline } from '../rules/decide.ts'
import { type ConflictKind, insertConflict, listOpenConflicts, resolveConflicts } from '../store/conflicts.ts'
import * as operations from '../store/operations.ts'
import { addOperationTo } from './add-operation.ts'
import type { Progress } from './progress.ts'
import { updateAndEmit } from './update-and-emit.ts'
import { writeOperation } from './write-result.ts'

type ConflictResult = Pick<Progress, 'payment' | 'next'>

/** Call it with a result for an operation that has ended. Most results only confirm the recorded outcome. */
export async function detectConflict(tx: Tx, observed: ObservedOperation): Promise<ConflictResult> {
  const { payment, operation, observation } = observed
  const { result, differs } = observation
  const unchanged = { payment, next: null }
  if (result.is !== 'succeeded') {
    if (!(await isLateFailure(tx, observed))) return unchanged
    const after = await recordConflict(tx, observed, {
      kind: 'late_failure',
      report: `${operation.reference} failed (${result.is})`,
    })
    return { payment: after ?? payment, next: null }
  }
  if (operation.status === 'succeeded' && !differs) return unchanged
  const { amount, currency } = result.money
  const after = await recordConflict(tx, observed, {
    kind: operation.status === 'succeeded' ? 'different_amount' : 'late_success',
    report: `${result.ref} succeeded with ${amount} ${currency}`,
  })
  if (after === null) return unchanged
  return { payment: after, next: await voidUnwanted(tx, { ...observed, payment: after }, result.ref) }
}

/** Null if the conflict is already recorded. */
async function recordConflict(
  tx: Tx,
  { payment, operation }: ObservedOperation,
  { kind, report }: { readonly kind: ConflictKind; readonly report: string },
): Promise<Payment | null> {
  const recorded = `${operation.reference} is recorded as ${operation.status} with ${operation.amount} ${operation.currency}`
  const detail = `The provider reports that ${report}, but ${recorded}.`
  const isNew = await insertConflict(tx, operation, { kind, detail })
  return isNew ? updateAndEmit(tx, payment, { review: 'conflict' }, events.paymentConflictDetected) : null
}

/** Records a report that contradicts the payment, and that is not a result of an operation. Repeated reports add nothing. */
export async function flagConflict(
  tx: Tx,
  { payment, operation }: Pick<ObservedOperation, 'payment' | 'operation'>,
  conflict: { readonly kind: ConflictKind; readonly detail: string },
): Promise<void> {
  const isNew = await insertConflict(tx, operation, conflict)
  if (isNew) updateAndEmit(tx, payment, { review: 'conflict' }, events.paymentConflictDetected)
}

/**
 * Whether the provider reports a failure of an operation that is recorded as succeeded. The response to a request that
 * was sent again is not such a report. After a void, or after its expiry, an authorization is reported as cancelled.
 */
async function isLateFailure(
  tx: Tx,
  { payment, operation, observation }: ObservedOperation,
): Promise<boolean> {
  const { source, result } = observation
  const isFailure = result.is === 'declined' || result.is === 'rejected' || result.is === 'closed'
  const isReport = source === 'webhook' || source === 'lookup'
  if (operation.status !== 'succeeded' || !isFailure || !isReport) return false
  if (operation.kind !== 'authorize' || result.is !== 'closed') return true
  const { status, captureBeforeAt } = payment
  if (status === 'requires_capture' && captureBeforeAt !== null && captureBeforeAt <= tx.now) return false
  const all = await operations.listOperations(tx, payment.id)
  const isVoid = (other: Operation) =>
    other.kind === 'void' &&
    other.attemptId === operation.attemptId &&
    (other.status === 'succeeded' || isOpen(other))
  return !all.some(isVoid)
}

/**
 * Voids an authorization that the provider reports for a failed attempt. Returns null if the amount was
 * captured, or if the attempt has not failed.
 */
async function voidUnwanted(tx: Tx, observed: ObservedOperation, ref: string): Promise<Operation | null> {
  const { payment, attempt, operation } = observed
  if (operation.kind !== 'authorize' || operation.capture || !endedWithoutCharge(attempt)) return null
  // The operation row is final, so the attempt stores the provider reference that the void needs.
  const updatedAttempt = operations.updateAttempt(tx, attempt, { providerReference: ref })
  return addOperationTo(tx, payment, updatedAttempt, { kind: 'void', amount: operation.amount })
}

/** Records the result of voiding an unwanted authorization. The status of the payment does not change. */
export async function recordUnwantedVoid(
  tx: Tx,
  { payment, attempt, operation, observation }: ObservedOperation,
): Promise<ConflictResult> {
  const byPerson = observation.source === 'person'
  const facts = { payment, attempt, operation, ...observation, byPerson, mayFailOver: false }
  const decision = withReviewDeadline(decideCaptureOrVoid(facts), operation, tx.now)
  writeOperation(tx, operation, decision, observation)
  if (decision.operation.status !== 'succeeded') return { payment, next: null }
  const authorization = (await operations.listOperations(tx, payment.id)).find(
    ({ attemptId, kind }) => attemptId === attempt.id && kind === 'authorize',
  )
  return {
    payment: authorization === undefined ? payment : await closeConflicts(tx, payment, authorization),
    next: null,
  }
}

/** Resolves the conflicts of one operation. When none is left, the payment no longer needs review. */
export async function closeConflicts(tx: Tx, before: Payment, operation: Operation): Promise<Payment> {
  await resolveConflicts(tx, operation)
  if (before.review !== 'conflict' || (await listOpenConflicts(tx, before.id)).length > 0) return before
  return updateAndEmit(tx, before, { review: null }, events.paymentUpdated)
}
