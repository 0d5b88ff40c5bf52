/** Chooses how to determine the result of an operation whose outcome is unknown. Pure functions. */
import type { Resolution } from '../../../../providers/contract.ts'
import type { Operation, Payment } from '../payment.ts'

export type ResolveStrategy = 'replay' | 'lookup' | 'close'

export function resolveStrategyOf({
  payment,
  operation,
  resolve,
  now,
}: {
  readonly payment: Pick<Payment, 'cancelRequestedAt'>
  readonly operation: Pick<
    Operation,
    'kind' | 'createdAt' | 'completeBeforeAt' | 'requestHash' | 'status' | 'checks' | 'challenged'
  >
  readonly resolve: Resolution
  readonly now: Date
}): ResolveStrategy {
  const ageHours = (now.getTime() - operation.createdAt.getTime()) / 3_600_000
  const mayComplete = operation.completeBeforeAt === null || now < operation.completeBeforeAt
  // A cancellation stops charges, but voids and refunds must still be processed.
  const isReversal = operation.kind === 'void' || operation.kind === 'refund'
  const shouldProcess = isReversal || (payment.cancelRequestedAt === null && mayComplete)
  // Do not replay: a second authorize request would make the payer authenticate twice.
  const awaitsResult =
    operation.challenged || operation.status === 'awaiting_customer' || operation.status === 'pending'
  // While the payer may still return, only look up the operation: closing it would end the authentication.
  if (operation.status === 'awaiting_customer' && payment.cancelRequestedAt === null) return 'lookup'
  if (!shouldProcess && resolve.close) return 'close'
  if (shouldProcess && !awaitsResult && ageHours < resolve.replayHours && operation.checks % 2 === 0)
    return 'replay'
  return resolve.lookup === 'none' ? 'close' : 'lookup'
}

/** How long an unknown outcome is checked automatically before the operation needs review. */
const reviewAfterDays = 7

export function isPastReviewDeadline({ createdAt }: Pick<Operation, 'createdAt'>, now: Date): boolean {
  return now.getTime() - createdAt.getTime() >= reviewAfterDays * 24 * 60 * 60 * 1000
}
