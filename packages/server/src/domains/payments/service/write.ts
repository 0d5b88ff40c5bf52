/** Writes what was learned into the rows of an operation and its attempt. The payment follows from it. */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Decision, Learned } from '../decide.ts'
import * as events from '../events.ts'
import type { Attempt, Operation } from '../payment.ts'
import * as operations from '../store/operations.ts'
import type { Seen } from './record.ts'

export async function writeOperation(
  tx: Tx,
  operation: Operation,
  decision: Pick<Decision, 'operation'>,
  seen: Seen,
): Promise<void> {
  const { learned, requestHash, checked = false } = seen
  const { status, dueInSeconds } = decision.operation
  await operations.updateOperation(tx, operation, {
    status,
    ...('ref' in learned && learned.ref !== undefined ? { providerReference: learned.ref } : {}),
    ...(requestHash === undefined ? {} : { requestHash }),
    ...('fault' in learned ? { fault: learned.fault } : {}),
    ...(learned.is === 'declined' ? { decline: learned.decline } : {}),
    ...(status === 'awaiting_customer' ? { challenged: true } : {}),
    checks: operation.checks + (checked ? 1 : 0),
    dueAt: dueInSeconds === null ? null : addSeconds(tx.now, dueInSeconds),
  })
}

export async function writeAttempt(
  tx: Tx,
  before: Attempt,
  decision: Decision,
  { learned }: Seen,
): Promise<void> {
  const status = decision.attempt
  if (status === null || status === before.status) return
  const told = status === 'declined' || status === 'failed'
  const after = await operations.updateAttempt(tx, before, {
    status,
    told,
    ...('ref' in learned && learned.ref !== undefined ? { providerReference: learned.ref } : {}),
    ...(learned.is === 'declined' ? { decline: learned.decline } : {}),
  })
  if (told) tx.emit(status === 'declined' ? events.attemptDeclined : events.attemptFailed, { after })
}

/** Why it did not happen, as a payer may be told. */
export function declineIn(learned: Learned) {
  return learned.is === 'declined' ? learned.decline : { code: 'provider_error' }
}
