/** How an operation that is not known is asked about. Pure. */
import type { Resolution } from '../../providers/contract.ts'
import type { Operation, Payment } from './payment.ts'

export type Approach = 'replay' | 'lookup' | 'close'

export function approachOf({
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
}): Approach {
  const ageHours = (now.getTime() - operation.createdAt.getTime()) / 3_600_000
  const mayComplete = operation.completeBeforeAt === null || now < operation.completeBeforeAt
  // Whoever cancels wants money let go and given back, and no more of it asked for.
  const undoes = operation.kind === 'void' || operation.kind === 'refund'
  const wanted = undoes || (payment.cancelRequestedAt === null && mayComplete)
  // A payer who is being asked must not be asked again by a second call.
  const isAwaited =
    operation.challenged || operation.status === 'awaiting_customer' || operation.status === 'pending'
  // Who has time to come back is not shut out, whoever made us look.
  if (operation.status === 'awaiting_customer' && payment.cancelRequestedAt === null) return 'lookup'
  if (!wanted && resolve.close) return 'close'
  if (wanted && !isAwaited && ageHours < resolve.replayHours && operation.checks % 2 === 0) return 'replay'
  return resolve.lookup === 'none' ? 'close' : 'lookup'
}

/** So long the provider is asked. Then a person has to ask them. */
const patienceDays = 7

export function isTooOld({ createdAt }: Pick<Operation, 'createdAt'>, now: Date): boolean {
  return now.getTime() - createdAt.getTime() >= patienceDays * 24 * 60 * 60 * 1000
}
