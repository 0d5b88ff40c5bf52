/**
 * Whether another account may be asked after an attempt has ended. The table says what is allowed at all; a route
 * narrows it and can never widen it. Budgets of card networks are asked beside this, for each attempt. Pure.
 */
import { type DeclineRule, declineOf } from '../../providers/declines.ts'
import type { Failover, FailoverClass } from './payment-route.ts'

/** What became of the attempt. `absent`: not in their books, which proves less than their promise does. */
export type Ending =
  | { readonly is: 'approved' | 'unknown' | 'pending' | 'awaiting_customer' | 'needs_review' }
  | { readonly is: 'not_sent' }
  | { readonly is: 'not_processed'; readonly proof: 'closed' | 'absent' }
  | { readonly is: 'declined' | 'rejected'; readonly code: string }

export type Situation = {
  readonly ending: Ending
  /** Whether a soft decline has led to another account before. */
  readonly softCascaded: boolean
  /** Whether a payer was asked to act. From then on no other account is tried. */
  readonly challenged: boolean
  readonly cancelAsked: boolean
  /** How many were made, this one included. */
  readonly attempts: number
  /** Since the payment was asked for. */
  readonly elapsedMs: number
  readonly failover: Failover
}

/** Why there is no further attempt. */
export type Stop =
  | 'approved'
  | 'not_known_yet'
  | 'cancel_asked'
  | 'payer_was_asked'
  | 'final'
  | 'soft_once'
  | 'left_out_by_route'
  | 'max_attempts'
  | 'time_is_over'

export type Onward =
  | { readonly goesOn: true; readonly as: FailoverClass }
  | { readonly goesOn: false; readonly because: Stop }

/** In this order: what nobody may go past stands before what a route says. */
export function mayGoOn(situation: Situation): Onward {
  const { ending, softCascaded, challenged, cancelAsked, attempts, elapsedMs, failover } = situation
  const judged = judge(ending)
  if ('stop' in judged) return stop(judged.stop)
  if (cancelAsked) return stop('cancel_asked')
  if (challenged) return stop('payer_was_asked')
  if (judged.once && softCascaded) return stop('soft_once')
  if (!failover.on.includes(judged.as)) return stop('left_out_by_route')
  if (attempts >= failover.max_attempts) return stop('max_attempts')
  if (elapsedMs >= failover.budget_ms) return stop('time_is_over')
  return { goesOn: true, as: judged.as }
}

const stop = (because: Stop): Onward => ({ goesOn: false, because })

type Judged = { readonly as: FailoverClass; readonly once: boolean } | { readonly stop: Stop }

/** The table, before any route. */
function judge(ending: Ending): Judged {
  switch (ending.is) {
    case 'approved':
      return { stop: 'approved' }
    case 'not_sent':
      return { as: 'technical', once: false }
    case 'not_processed':
      // A sender that stood still for so long may wake yet, and only their promise would stop it.
      return ending.proof === 'closed' ? { as: 'technical', once: false } : { stop: 'final' }
    case 'declined':
    case 'rejected':
      return judgeRule(declineOf(ending.code))
    default:
      return { stop: 'not_known_yet' }
  }
}

function judgeRule({ class: of, cascade }: DeclineRule): Judged {
  const may = of === 'technical' || of === 'configuration' || of === 'soft'
  return may && cascade !== 'no' ? { as: of, once: cascade === 'once' } : { stop: 'final' }
}
