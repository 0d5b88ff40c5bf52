/** Chooses how to determine the result of an operation whose outcome is unknown. Pure functions. */
import type { Resolution } from '../../../../providers/contract.ts'
import type { Operation, Payment } from '../payment.ts'

/**
 * `wait`: the provider cannot be queried, and reports the result by webhook. `abandon`: the payer can no longer
 * return, and only the payer's return could have led to a charge.
 */
export type ResolveStrategy = 'replay' | 'lookup' | 'close' | 'wait' | 'abandon'

type OpenOperation = {
  readonly payment: Pick<Payment, 'cancelRequestedAt'>
  readonly operation: Pick<
    Operation,
    | 'kind'
    | 'createdAt'
    | 'completeBeforeAt'
    | 'status'
    | 'checks'
    | 'challenged'
    | 'returns'
    | 'providerReference'
  >
  readonly resolve: Resolution
  readonly now: Date
}

export function resolveStrategyOf(open: OpenOperation): ResolveStrategy {
  const { payment, operation, resolve } = open
  const canLookUp = canBeLookedUp(open)
  // While the payer may still return, only look up the operation: closing it would end the authentication.
  if (operation.status === 'awaiting_customer' && payment.cancelRequestedAt === null)
    return canLookUp ? 'lookup' : 'wait'
  if (resolve.close && !shouldProcess(open)) return 'close'
  // Replays and lookups alternate, if both are possible.
  const isReplayDue = operation.checks % 2 === 0 || !(canLookUp || resolve.close)
  if (isReplayDue && canBeReplayed(open)) return 'replay'
  if (canLookUp) return 'lookup'
  return resolve.close ? 'close' : withoutCall(open)
}

function withoutCall({ operation, resolve }: OpenOperation): 'abandon' | 'wait' {
  const isAbandoned = operation.challenged && operation.returns === 0 && operation.status !== 'needs_review'
  return isAbandoned && resolve.completedByUs ? 'abandon' : 'wait'
}

function canBeLookedUp({ operation, resolve }: OpenOperation): boolean {
  return (
    resolve.lookup === 'reference' ||
    (resolve.lookup === 'provider_id' && operation.providerReference !== null)
  )
}

/** A cancellation stops charges, but voids and refunds must still be processed. */
function shouldProcess({ payment, operation, now }: OpenOperation): boolean {
  const isReversal = operation.kind === 'void' || operation.kind === 'refund'
  const mayComplete = operation.completeBeforeAt === null || now < operation.completeBeforeAt
  return isReversal || (payment.cancelRequestedAt === null && mayComplete)
}

function canBeReplayed(open: OpenOperation): boolean {
  const { operation, resolve, now } = open
  const ageHours = (now.getTime() - operation.createdAt.getTime()) / 3_600_000
  // Do not replay these: a second authorize request would make the payer authenticate twice.
  const awaitsResult =
    operation.challenged || operation.status === 'awaiting_customer' || operation.status === 'pending'
  return shouldProcess(open) && !awaitsResult && ageHours < resolve.replayHours
}

/**
 * Whether an operation that the provider does not know was not processed. An operation that the provider has
 * acknowledged before may have been processed. The time counts from the last possible replay, because a replay can
 * still arrive after a lookup.
 */
export function isAbsenceFinal(
  {
    createdAt,
    status,
    providerReference,
    challenged,
  }: Pick<Operation, 'createdAt' | 'status' | 'providerReference' | 'challenged'>,
  { replayHours, absentIsFinalAfterMinutes }: Resolution,
  now: Date,
): boolean {
  const wasAcknowledged = providerReference !== null || challenged || status !== 'unknown'
  if (absentIsFinalAfterMinutes === null || wasAcknowledged) return false
  const ageMinutes = (now.getTime() - createdAt.getTime()) / 60_000
  return ageMinutes >= replayHours * 60 + absentIsFinalAfterMinutes
}

/** How long an unknown outcome is checked automatically before the operation needs review. */
const reviewAfterDays = 7

export function isPastReviewDeadline({ createdAt }: Pick<Operation, 'createdAt'>, now: Date): boolean {
  return now.getTime() - createdAt.getTime() >= reviewAfterDays * 24 * 60 * 60 * 1000
}
