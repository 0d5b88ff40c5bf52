/** Decides whether another account is tried after an attempt has failed. */
import type { Deps } from '../../../../deps.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import {
  type AttemptEnd,
  decideFailover,
  pinnedRoute,
} from '../../../routing/payment-routes/service/decide.ts'
import type { Observation } from '../observation.ts'
import type { Attempt, Operation, Payment } from '../payment.ts'
import { codeOfFault, type OperationResult } from '../rules/decide.ts'

type EndedAttempt = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly attempts: readonly Attempt[]
  readonly observation: Observation
}

/** Uses the route revision with which the payment was created, even if a newer one has been published. */
export async function shouldFailOver(
  deps: Deps,
  tx: Tx,
  { payment, attempt, operation, attempts, observation }: EndedAttempt,
): Promise<boolean> {
  const { failover } = await pinnedRoute(deps, tx, payment.paymentRouteId, payment.routeRevision)
  const { failsOver } = decideFailover({
    attemptEnd: attemptEndOf(observation.result),
    softFailoverUsed: attempts.some(({ id, status }) => id !== attempt.id && status === 'declined'),
    challenged: operation.challenged,
    cancelRequested: payment.cancelRequestedAt !== null,
    attempts: attempts.length,
    elapsedMs: tx.now.getTime() - payment.createdAt.getTime(),
    failover,
  })
  return failsOver
}

/**
 * Whether a payer whose payment was declined may enter the card again at another account. Only the decline and the route
 * count: that payment has ended, and the payer starts a new one.
 */
export async function allowsAnotherAccount(deps: Deps, view: View, payment: Payment): Promise<boolean> {
  const { failure, paymentRouteId, routeRevision } = payment
  if (payment.status !== 'failed' || failure === null) return false
  const { failover } = await pinnedRoute(deps, view, paymentRouteId, routeRevision)
  const { failsOver } = decideFailover({
    attemptEnd: { kind: 'declined', code: failure.code },
    softFailoverUsed: false,
    challenged: false,
    cancelRequested: payment.cancelRequestedAt !== null,
    attempts: 0,
    elapsedMs: 0,
    failover,
  })
  return failsOver
}

function attemptEndOf(result: OperationResult): AttemptEnd {
  switch (result.is) {
    case 'succeeded':
      return { kind: 'approved' }
    case 'declined':
      return { kind: 'declined', code: result.decline.code }
    case 'rejected':
      return { kind: 'rejected', code: codeOfFault(result.fault.code) }
    case 'not_sent':
      // Another account would need the same card vault, which is unavailable.
      return result.fault.code === 'vault_unavailable'
        ? { kind: 'rejected', code: result.fault.code }
        : { kind: 'not_sent' }
    case 'closed':
      return { kind: 'not_processed', proof: 'closed' }
    default:
      return { kind: 'unknown' }
  }
}
