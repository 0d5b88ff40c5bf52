/** Interprets the result of a request to submit evidence or to accept a dispute. No side effects. */
import type { DisputeOutcome, Fault } from '../../../providers/contract.ts'
import type { Dispute } from './dispute.ts'

/** How long one process has the exclusive right to send a response: longer than the longest call. */
export const leaseSeconds = 70

export type ResponseResult =
  | { readonly is: 'accepted'; readonly reportedAt: Date }
  | { readonly is: 'refused'; readonly error: Fault }
  /** The request is sent again, with the same reference. */
  | { readonly is: 'unknown' }

/** The provider was too busy, so the same request can succeed later. */
const temporaryFaults = ['provider_rate_limited', 'provider_error']

export function resultOf(
  outcome: DisputeOutcome | { readonly is: 'not_sent'; readonly fault: Fault },
): ResponseResult {
  if (outcome.is === 'accepted') return outcome
  if (outcome.is !== 'rejected' || temporaryFaults.includes(outcome.fault.code)) return { is: 'unknown' }
  return { is: 'refused', error: outcome.fault }
}

/** Seconds before each retry. After the last one, the request is retried every hour until the deadline. */
const retryDelays = [2, 10, 60, 300, 900, 3_600] as const

export function retryDelaySeconds(attempts: number): number {
  return retryDelays[Math.min(attempts, retryDelays.length) - 1] ?? 3_600
}

/** The reference of the current request. It is the same each time the request is sent. */
export function referenceOf({ id, responseNumber }: Pick<Dispute, 'id' | 'responseNumber'>): string {
  return `${id.slice(-26)}-${responseNumber}`
}
