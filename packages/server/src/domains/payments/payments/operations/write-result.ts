/** Writes a result to the rows of the operation and the attempt. */
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { isCheck, type Observation } from '../observation.ts'
import { type Attempt, isOpen, type Operation, type ReportedResult } from '../payment.ts'
import { codeOfFault, type Decision, type OperationResult } from '../rules/decide.ts'
import * as operations from '../store/operations.ts'

export function writeOperation(
  tx: Tx,
  operation: Operation,
  decision: Pick<Decision, 'operation'>,
  observation: Observation,
): void {
  const { result } = observation
  // The hash of the first request stays: every repeat is compared with it.
  const requestHash = operation.requestHash === null ? hashOf(observation) : null
  const reported = isReport(observation) ? reportedResult(result) : null
  const { status, dueInSeconds } = decision.operation
  operations.updateOperation(tx, operation, {
    status,
    ...('ref' in result && result.ref !== undefined ? { providerReference: result.ref } : {}),
    ...(requestHash === null ? {} : { requestHash }),
    ...('fault' in result ? { fault: result.fault } : {}),
    ...(result.is === 'declined' ? { decline: result.decline } : {}),
    ...(reported === null ? {} : { reported }),
    ...(status === 'awaiting_customer' ? { challenged: true } : {}),
    ...(keepsReturn(operation, status) ? {} : { returnParams: null }),
    checks: operation.checks + (isCheck(observation) ? 1 : 0),
    dueAt: dueInSeconds === null ? dueAtOfReturn(operation, status) : addSeconds(tx.now, dueInSeconds),
  })
}

/** The provider has not responded to the return of the payer: its outcome is unknown, or it has not been sent yet. */
function keepsReturn(before: Operation, status: Operation['status']): boolean {
  if (before.returnParams === null) return isOpen({ status })
  return status === 'unknown' || isReturnWaiting(before, status)
}

/** A lookup that was started before the payer returned does not postpone the stored return. */
function dueAtOfReturn(before: Operation, status: Operation['status']): Date | null {
  return isReturnWaiting(before, status) ? before.dueAt : null
}

function isReturnWaiting(before: Operation, status: Operation['status']): boolean {
  return (
    before.returnParams !== null && status === 'awaiting_customer' && before.status === 'awaiting_customer'
  )
}

function hashOf(observation: Observation): Buffer | null {
  return observation.source === 'response' ? observation.requestHash : null
}

/** Whether the provider itself reported the result. Otherwise the result was inferred. */
function isReport(observation: Observation): boolean {
  return observation.source !== 'person' && !('ifVersion' in observation)
}

/** Null if the provider reported no result. In that case an earlier report is kept. */
function reportedResult(result: OperationResult): ReportedResult | null {
  if (result.is === 'unknown' || result.is === 'not_sent' || result.is === 'absent') return null
  if (result.is !== 'succeeded') return { status: result.is, amount: null, currency: null }
  return { status: result.is, amount: Number(result.money.amount), currency: result.money.currency }
}

export function writeAttempt(tx: Tx, before: Attempt, decision: Decision, { result }: Observation): void {
  const status = decision.attempt
  if (status === null || status === before.status) return
  const emitsEvent = status === 'declined' || status === 'failed'
  const after = operations.updateAttempt(tx, before, {
    status,
    emitsEvent,
    ...('ref' in result && result.ref !== undefined ? { providerReference: result.ref } : {}),
    ...(result.is === 'declined' ? { decline: result.decline } : {}),
  })
  if (emitsEvent) tx.emit(status === 'declined' ? events.attemptDeclined : events.attemptFailed, { after })
}

/** The decline of a failed operation, which is shown to the payer. */
export function declineOfResult(result: OperationResult) {
  if (result.is === 'declined') return result.decline
  return { code: result.is === 'rejected' ? codeOfFault(result.fault.code) : 'provider_error' }
}
