/** Decides what happens after a failed attempt. No side effects. */

import type { Step, WaitsFor } from './dunning-campaign.ts'
import { type AttemptFailure, nextStep } from './schedule.ts'

/** Whether and when the decline code allows another attempt; see the decline table. */
export type RetryAdvice = 'no' | 'yes' | 'new_card' | 'after_window' | 'payer'

export type Decision =
  | { readonly kind: 'retry'; readonly at: Date; readonly steps: readonly Step[] }
  /** No automatic attempt follows. The end of the campaign does not change. */
  | { readonly kind: 'wait'; readonly waitsFor: WaitsFor; readonly steps: readonly Step[] }
  | { readonly kind: 'exhausted'; readonly steps: readonly Step[] }

/**
 * Records a failed retry in the steps, and decides whether and when the next attempt is made. The first
 * failure (`isFirst`) is the one that starts the campaign: it belongs to no step.
 */
export function decideAfterFailure(
  steps: readonly Step[],
  failure: AttemptFailure & { readonly paymentId: string | null },
  retryAdvice: RetryAdvice,
  isFirst: boolean,
): Decision {
  const recorded = isFirst ? steps : withResult(steps, failure)
  const next = nextStep(recorded, failure)
  if (next === null) return { kind: 'exhausted', steps: recorded }
  if (retryAdvice === 'payer') return { kind: 'wait', waitsFor: 'customer', steps: recorded }
  if (retryAdvice === 'no' || retryAdvice === 'new_card')
    return { kind: 'wait', waitsFor: 'new_card', steps: recorded }
  const rescheduled = recorded.map((step, index) => (index === next.index ? next.step : step))
  return { kind: 'retry', at: next.step.dueAt, steps: rescheduled }
}

/** Records the attempt in the step that was due, even if the attempt was made manually. */
function withResult(
  steps: readonly Step[],
  { at, code, paymentId }: AttemptFailure & { readonly paymentId: string | null },
): Step[] {
  const dueIndex = steps.findIndex(({ attemptedAt, dueAt }) => attemptedAt === null && dueAt <= at)
  return steps.map((step, index) =>
    index === dueIndex ? { ...step, attemptedAt: at, code, paymentId } : step,
  )
}
