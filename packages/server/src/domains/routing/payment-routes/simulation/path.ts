/** The path of a payment from account to account, with assumed outcomes. */

import { declineOf } from '../../../../providers/declines.ts'
import { type Decision, type DecisionInput, decide, type Trace } from '../engine/choose.ts'
import type { CompiledRoute } from '../engine/compile.ts'
import type { Candidate } from '../engine/eligibility.ts'
import { decideFailover, type StopReason } from '../engine/failover.ts'

/** `approved`, `unknown`, or a decline code. */
export type AssumedOutcome = string

export type Step = {
  readonly provider_account_id: string
  readonly outcome: AssumedOutcome
  /** What the route does next. */
  readonly next: string
}

export type Path = { readonly decision: Decision; readonly steps: readonly Step[]; readonly end: PathEnd }
export type PathEnd = 'approved' | 'declined' | 'failed' | 'unknown' | 'no_provider'

/** Attempts without an assumed outcome are approved. */
export function pathOf(
  route: CompiledRoute,
  input: DecisionInput,
  candidates: readonly Candidate[],
  outcomes: readonly AssumedOutcome[],
): Path {
  const first = decide(route, input, candidates)
  const steps: Step[] = []
  let decision = first
  let softFailoverUsed = false
  while (decision.chosen !== null) {
    const outcome = outcomes[steps.length] ?? 'approved'
    const stopped = stopAfter(route, outcome, { attempts: steps.length + 1, softFailoverUsed })
    const tried = [...steps.map((step) => step.provider_account_id), decision.chosen]
    const after = stopped === null ? decide(route, { ...input, tried }, candidates) : null
    const next = stopped?.next ?? nextOf((after as Decision).trace)
    steps.push({ provider_account_id: decision.chosen, outcome, next })
    if (stopped !== null) return { decision: first, steps, end: stopped.end }
    softFailoverUsed ||= declineOf(outcome).class === 'soft'
    decision = after as Decision
  }
  if (steps.length > 0) return { decision: first, steps, end: 'failed' }
  return { decision: first, steps, end: first.declined ? 'declined' : 'no_provider' }
}

type Stopped = { readonly end: PathEnd; readonly next: string }
type Progress = { readonly attempts: number; readonly softFailoverUsed: boolean }

/** Null if another account may be tried. */
function stopAfter({ failover }: CompiledRoute, outcome: AssumedOutcome, progress: Progress): Stopped | null {
  if (outcome === 'approved') return { end: 'approved', next: 'done' }
  if (outcome === 'unknown')
    return { end: 'unknown', next: 'no other account is tried until the outcome is known' }
  const failoverDecision = decideFailover({
    ...progress,
    attemptEnd: { kind: 'declined', code: outcome },
    challenged: false,
    cancelRequested: false,
    elapsedMs: 0,
    failover,
  })
  return failoverDecision.failsOver
    ? null
    : { end: 'failed', next: `stops: ${stopTexts[failoverDecision.reason]}` }
}

const stopTexts: { readonly [Reason in StopReason]: string } = {
  approved: 'approved',
  outcome_unknown: 'the outcome is unknown',
  cancel_requested: 'the payment was cancelled',
  payer_challenged: 'the payer was asked to authenticate',
  final: 'failover does not apply to this outcome',
  soft_failover_used: 'failover after a soft decline happens only once',
  excluded_by_route: 'the route excludes this class of failures from failover',
  max_attempts: 'max_attempts of the route is reached',
  time_limit: 'the failover time limit of the route is reached',
}

function nextOf({ order }: Trace): string {
  const [account] = order
  return account === undefined ? 'stops: no other account can process the payment' : `tries ${account}`
}
