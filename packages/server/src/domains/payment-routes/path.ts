/** What would become of a payment: from account to account, as the assumed outcomes say. */

import { declineOf } from '../../providers/declines.ts'
import type { Candidate } from './capable.ts'
import { type Decision, decide, type Question, type Trace } from './choose.ts'
import type { CompiledRoute } from './compile.ts'
import { mayGoOn, type Stop } from './failover.ts'

/** `approved`, `unknown`, or a decline code. */
export type AssumedOutcome = string

export type Step = {
  readonly provider_account_id: string
  readonly outcome: AssumedOutcome
  /** What the route does then. */
  readonly next: string
}

export type Path = { readonly decision: Decision; readonly steps: readonly Step[]; readonly end: End }
export type End = 'approved' | 'declined' | 'failed' | 'unknown' | 'no_provider'

/** Attempts beyond those that outcomes are assumed for are approved. */
export function pathOf(
  route: CompiledRoute,
  question: Question,
  candidates: readonly Candidate[],
  outcomes: readonly AssumedOutcome[],
): Path {
  const first = decide(route, question, candidates)
  const steps: Step[] = []
  let decision = first
  let softCascaded = false
  while (decision.chosen !== null) {
    const outcome = outcomes[steps.length] ?? 'approved'
    const halt = haltOf(route, outcome, { attempts: steps.length + 1, softCascaded })
    const tried = [...steps.map((step) => step.provider_account_id), decision.chosen]
    const after = halt === null ? decide(route, { ...question, tried }, candidates) : null
    const next = halt?.next ?? nextOf((after as Decision).trace)
    steps.push({ provider_account_id: decision.chosen, outcome, next })
    if (halt !== null) return { decision: first, steps, end: halt.end }
    softCascaded ||= declineOf(outcome).class === 'soft'
    decision = after as Decision
  }
  if (steps.length > 0) return { decision: first, steps, end: 'failed' }
  return { decision: first, steps, end: first.declined ? 'declined' : 'no_provider' }
}

type Halt = { readonly end: End; readonly next: string }
type Progress = { readonly attempts: number; readonly softCascaded: boolean }

/** Null if another account may be asked. */
function haltOf({ failover }: CompiledRoute, outcome: AssumedOutcome, progress: Progress): Halt | null {
  if (outcome === 'approved') return { end: 'approved', next: 'done' }
  if (outcome === 'unknown') return { end: 'unknown', next: 'nobody else is asked until it is known' }
  const onward = mayGoOn({
    ...progress,
    ending: { is: 'declined', code: outcome },
    challenged: false,
    cancelAsked: false,
    elapsedMs: 0,
    failover,
  })
  return onward.goesOn ? null : { end: 'failed', next: `stops: ${stopWords[onward.because]}` }
}

const stopWords: { readonly [Why in Stop]: string } = {
  approved: 'it was approved',
  not_known_yet: 'the outcome is not known',
  cancel_asked: 'it was cancelled',
  payer_was_asked: 'the payer was asked to act',
  final: 'no other account would help',
  soft_once: 'one soft decline has led to another account already',
  left_out_by_route: 'the route does not go on after failures of this class',
  max_attempts: 'the route asks no more accounts than these',
  time_is_over: 'the time of the route is over',
}

function nextOf({ order }: Trace): string {
  const [account] = order
  return account === undefined ? 'stops: no other account can take it' : `asks ${account}`
}
