/** Chooses how to determine the result of an operation whose outcome is unknown. Pure functions. */
import { isRedirect, type Resolution } from '../../../../providers/contract.ts'
import type { Operation, Payment } from '../payment.ts'

/**
 * `wait`: the provider cannot be queried, and reports the result by webhook. `abandon`: the payer can no longer
 * return, and only the payer's return could have led to a charge. `complete`: the payer has returned, and the provider may
 * not have received the return parameters.
 */
export type ResolveStrategy = 'replay' | 'complete' | 'lookup' | 'close' | 'wait' | 'abandon'

type OpenOperation = {
  readonly payment: Pick<Payment, 'cancelRequestedAt'> & Partial<Pick<Payment, 'settlement' | 'methodType'>>
  readonly operation: Pick<
    Operation,
    | 'kind'
    | 'createdAt'
    | 'completeBeforeAt'
    | 'status'
    | 'checks'
    | 'challenged'
    | 'returns'
    | 'returnedAt'
    | 'returnParams'
    | 'providerReference'
  >
  readonly resolve: Resolution
  readonly now: Date
}

/**
 * How an operation can be resolved with the current credentials. If they were replaced after it was sent, they may
 * belong to another merchant account. Then a repeated request could charge again, and not finding the operation does
 * not prove that it was not processed.
 */
export function resolutionAfterChange(
  resolve: Resolution,
  { createdAt }: Pick<Operation, 'createdAt'>,
  callCredentialsChangedAt: Date | null,
): Resolution {
  if (callCredentialsChangedAt === null || createdAt > callCredentialsChangedAt) return resolve
  return { ...resolve, replayHours: 0, close: false, absentIsFinalAfterMinutes: null }
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
  const repeat = isReplayDue ? repeatedRequest(open) : null
  if (repeat !== null) return repeat
  if (canLookUp) return 'lookup'
  return mayBeClosed(open) ? 'close' : withoutCall(open)
}

/** A pending operation is not closed, because the provider is still processing it. */
function mayBeClosed({ operation, resolve }: OpenOperation): boolean {
  return resolve.close && operation.status !== 'pending'
}

/** A payer who approves a redirect method has paid, whether the payer returns or not. */
function withoutCall({ payment, operation, resolve }: OpenOperation): 'abandon' | 'wait' {
  if (isRedirect(payment.methodType ?? 'card')) return 'wait'
  const isAbandoned = operation.challenged && operation.returns === 0 && operation.status !== 'needs_review'
  return isAbandoned && resolve.completedByUs ? 'abandon' : 'wait'
}

export function canBeLookedUp({
  operation,
  resolve,
}: {
  readonly operation: Pick<Operation, 'providerReference'>
  readonly resolve: Pick<Resolution, 'lookup'>
}): boolean {
  return (
    resolve.lookup === 'reference' ||
    (resolve.lookup === 'provider_id' && operation.providerReference !== null)
  )
}

/** A cancellation stops charges, but voids and refunds must still be processed. */
function shouldProcess({ payment, operation, now }: OpenOperation): boolean {
  const isReversal = operation.kind === 'void' || operation.kind === 'refund'
  // The bank confirms a submitted debit long after the payer has left.
  const isSubmitted = payment.settlement?.status === 'pending'
  const mayComplete = isSubmitted || operation.completeBeforeAt === null || now < operation.completeBeforeAt
  return isReversal || (payment.cancelRequestedAt === null && mayComplete)
}

/** The request that can be sent again; null if there is none. */
function repeatedRequest(open: OpenOperation): 'replay' | 'complete' | null {
  if (canBeReplayed(open)) return 'replay'
  return canBeCompleted(open) ? 'complete' : null
}

function canBeReplayed(open: OpenOperation): boolean {
  const { operation, resolve, now } = open
  // Do not replay these: a second authorize request would make the payer authenticate twice.
  const awaitsResult =
    operation.challenged || operation.status === 'awaiting_customer' || operation.status === 'pending'
  return shouldProcess(open) && !awaitsResult && ageHoursOf(operation, now) < resolve.replayHours
}

/** How long after the return of the payer the return parameters are sent again. Later no one expects the charge. */
const completeAfterReturnMinutes = 30

/** Sending the return parameters again has the same effect as sending them once, as long as requests can be replayed. */
function canBeCompleted({ payment, operation, resolve, now }: OpenOperation): boolean {
  const { returnParams, returnedAt, status } = operation
  if (!resolve.completedByUs || returnParams === null || returnedAt === null || status !== 'unknown')
    return false
  const minutesSinceReturn = (now.getTime() - returnedAt.getTime()) / 60_000
  return (
    payment.cancelRequestedAt === null &&
    minutesSinceReturn < completeAfterReturnMinutes &&
    ageHoursOf(operation, now) < resolve.replayHours
  )
}

function ageHoursOf({ createdAt }: Pick<Operation, 'createdAt'>, now: Date): number {
  return (now.getTime() - createdAt.getTime()) / 3_600_000
}

/**
 * Whether it is certain that an operation was not processed if the provider has no record of it. An operation
 * that the provider has acknowledged before may have been processed. The time counts from the last possible
 * replay, because a replay can still arrive after a lookup.
 */
export function isAbsenceFinal(
  {
    kind,
    createdAt,
    status,
    providerReference,
    challenged,
  }: Pick<Operation, 'kind' | 'createdAt' | 'status' | 'providerReference' | 'challenged'>,
  { replayHours, absentIsFinalAfterMinutes, neverAbsent = [] }: Resolution,
  now: Date,
): boolean {
  const wasAcknowledged = providerReference !== null || challenged || status !== 'unknown'
  if (absentIsFinalAfterMinutes === null || neverAbsent.includes(kind) || wasAcknowledged) return false
  const ageMinutes = (now.getTime() - createdAt.getTime()) / 60_000
  return ageMinutes >= replayHours * 60 + absentIsFinalAfterMinutes
}

/** How long an unknown outcome is checked automatically before the operation needs review. */
const reviewAfterDays = 7

export function isPastReviewDeadline({ createdAt }: Pick<Operation, 'createdAt'>, now: Date): boolean {
  return now.getTime() - createdAt.getTime() >= reviewAfterDays * 24 * 60 * 60 * 1000
}
