/** Whether another account is asked after an attempt, and what its card network is told of it. */
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { type Slot, settleSlot } from '../../card-budgets/service.ts'
import { type Ending, mayGoOn, pinnedRoute } from '../../payment-routes/service/decide.ts'
import { codeOfFault, type Learned } from '../decide.ts'
import type { Attempt, Intent, Operation, Payment } from '../payment.ts'
import type { Seen } from './record.ts'

type Ended = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly attempts: readonly Attempt[]
  readonly seen: Seen
}

/** By the revision that the payment was made by, whatever has been published since. */
export async function mayAskAnother(
  deps: Deps,
  tx: Tx,
  { payment, attempt, operation, attempts, seen }: Ended,
): Promise<boolean> {
  const { failover } = await pinnedRoute(deps, tx, payment.paymentRouteId, payment.routeRevision)
  const { goesOn } = mayGoOn({
    ending: endingOf(seen.learned),
    softCascaded: attempts.some(({ id, status }) => id !== attempt.id && status === 'declined'),
    challenged: operation.challenged,
    cancelAsked: payment.cancelRequestedAt !== null,
    attempts: attempts.length,
    elapsedMs: tx.now.getTime() - payment.createdAt.getTime(),
    failover,
  })
  return goesOn
}

function endingOf(learned: Learned): Ending {
  switch (learned.is) {
    case 'succeeded':
      return { is: 'approved' }
    case 'declined':
      return { is: 'declined', code: learned.decline.code }
    case 'rejected':
      return { is: 'rejected', code: codeOfFault(learned.fault.code) }
    case 'not_sent':
      return { is: 'not_sent' }
    case 'closed':
      return { is: 'not_processed', proof: 'closed' }
    default:
      return { is: 'unknown' }
  }
}

/** What an attempt counts for at its network. */
export function slotOf(
  payment: Pick<Intent, 'fingerprint' | 'paymentMethodId' | 'card' | 'amount' | 'currency' | 'initiator'> &
    Pick<Payment, 'id'>,
  attemptId: Attempt['id'],
): Slot {
  const { card, amount, currency, initiator, fingerprint, paymentMethodId } = payment
  return {
    ...{ attemptId, paymentId: payment.id, cardKey: fingerprint ?? paymentMethodId },
    ...{ card, amount, currency, initiator },
  }
}

/** What contradicts what was asked for is no word to go by. */
export async function settleBudget(
  tx: Tx,
  payment: Payment,
  attempt: Attempt,
  { operation, seen }: Pick<Ended, 'operation' | 'seen'>,
): Promise<void> {
  const isAuthorization = operation.kind === 'authorize' || operation.kind === 'verify'
  if (isAuthorization && !seen.differs) await settleSlot(tx, slotOf(payment, attempt.id), seen.learned)
}
