/**
 * Decides whether another account may be tried after an attempt has ended. The decline table defines what is allowed; a
 * route can narrow it, but never widen it. Retry limits of card networks are checked separately for each attempt. No
 * side effects.
 */
import { type DeclineRule, declineOf } from '../../../../providers/declines.ts'
import type { Failover, FailoverClass } from '../payment-route.ts'

/**
 * How the attempt ended. `closed`: the provider will never process the operation. `absent`: the provider has
 * no record of it, but may still receive it.
 */
export type AttemptEnd =
  | { readonly kind: 'approved' | 'unknown' | 'pending' | 'awaiting_customer' | 'needs_review' }
  | { readonly kind: 'not_sent' }
  | { readonly kind: 'not_processed'; readonly proof: 'closed' | 'absent' }
  | { readonly kind: 'declined' | 'rejected'; readonly code: string }

export type EndedAttempt = {
  readonly attemptEnd: AttemptEnd
  /** Whether a soft decline has already led to a failover. */
  readonly softFailoverUsed: boolean
  /** Whether the payer was asked to authenticate. From then on no other account is tried. */
  readonly challenged: boolean
  readonly cancelRequested: boolean
  /** The number of attempts so far, including this one. */
  readonly attempts: number
  /** Since the payment was created. */
  readonly elapsedMs: number
  readonly failover: Failover
}

/** Why there is no further attempt. */
export type StopReason =
  | 'approved'
  | 'outcome_unknown'
  | 'cancel_requested'
  | 'payer_challenged'
  | 'final'
  | 'soft_failover_used'
  | 'excluded_by_route'
  | 'max_attempts'
  | 'time_limit'

export type FailoverDecision =
  | { readonly failsOver: true; readonly failureClass: FailoverClass }
  | { readonly failsOver: false; readonly reason: StopReason }

/** Fixed rules come before the settings of the route. */
export function decideFailover(attempt: EndedAttempt): FailoverDecision {
  const { attemptEnd, softFailoverUsed, challenged, cancelRequested, attempts, elapsedMs, failover } = attempt
  const failure = classify(attemptEnd)
  if ('stop' in failure) return stop(failure.stop)
  if (cancelRequested) return stop('cancel_requested')
  if (challenged) return stop('payer_challenged')
  if (failure.oncePerPayment && softFailoverUsed) return stop('soft_failover_used')
  if (!failover.on.includes(failure.failureClass)) return stop('excluded_by_route')
  if (attempts >= failover.max_attempts) return stop('max_attempts')
  if (elapsedMs >= failover.budget_ms) return stop('time_limit')
  return { failsOver: true, failureClass: failure.failureClass }
}

const stop = (reason: StopReason): FailoverDecision => ({ failsOver: false, reason })

type Classification =
  | { readonly failureClass: FailoverClass; readonly oncePerPayment: boolean }
  | { readonly stop: StopReason }

/** Applies the rules that no route can change. */
function classify(attemptEnd: AttemptEnd): Classification {
  switch (attemptEnd.kind) {
    case 'approved':
      return { stop: 'approved' }
    case 'not_sent':
      return { failureClass: 'technical', oncePerPayment: false }
    case 'not_processed':
      // A stalled sender may still send the request; only `closed` rules that out.
      return attemptEnd.proof === 'closed'
        ? { failureClass: 'technical', oncePerPayment: false }
        : { stop: 'final' }
    case 'declined':
    case 'rejected':
      return classifyDecline(declineOf(attemptEnd.code))
    default:
      return { stop: 'outcome_unknown' }
  }
}

function classifyDecline({ class: declineClass, cascade }: DeclineRule): Classification {
  const isFailoverClass =
    declineClass === 'technical' || declineClass === 'configuration' || declineClass === 'soft'
  return isFailoverClass && cascade !== 'no'
    ? { failureClass: declineClass, oncePerPayment: cascade === 'once' }
    : { stop: 'final' }
}
