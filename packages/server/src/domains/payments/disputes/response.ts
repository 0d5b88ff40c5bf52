/** What the result of a request about a dispute means: of submitting evidence, or of accepting the dispute. Pure. */
import type { DisputeOutcome, Fault } from '../../../providers/contract.ts'
import { asRepeat, type NotSent } from '../../../providers/evidence.ts'
import type { Dispute } from './dispute.ts'

export type ResponseResult =
  | { readonly is: 'accepted'; readonly reportedAt: Date }
  | { readonly is: 'refused'; readonly error: Fault }
  /** The request is sent again, with the same reference. */
  | { readonly is: 'unknown' }

/** The provider was too busy, so the same request can succeed later. */
const temporaryFaults = ['provider_rate_limited', 'provider_error']

/** `isFirst`: the request was sent once. A later one may be rejected only because an earlier one was processed. */
export function resultOf(reply: DisputeOutcome | NotSent, isFirst: boolean): ResponseResult {
  const outcome = isFirst ? reply : asRepeat(reply)
  if (outcome.is === 'accepted') return outcome
  if (outcome.is !== 'rejected' || temporaryFaults.includes(outcome.fault.code)) return { is: 'unknown' }
  return { is: 'refused', error: outcome.fault }
}

/** The reference of the current request. It is the same each time the request is sent. */
export function referenceOf({ id, responseNumber }: Pick<Dispute, 'id' | 'responseNumber'>): string {
  return `${id.slice(-26)}-${responseNumber}`
}
