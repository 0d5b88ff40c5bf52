/** What follows a failed try. Pure. */

import type { Step, WaitsFor } from './dunning-campaign.ts'
import { type Failed, nextStep } from './schedule.ts'

/** What the reason of a decline says about trying later; see the table of declines. */
export type Later = 'no' | 'yes' | 'new_card' | 'after_window' | 'payer'

export type Next =
  | { readonly is: 'try'; readonly at: Date; readonly steps: readonly Step[] }
  /** No machine tries again; the end date stays. */
  | { readonly is: 'wait'; readonly waitsFor: WaitsFor; readonly steps: readonly Step[] }
  | { readonly is: 'exhausted'; readonly steps: readonly Step[] }

/** The steps with what came of the try, and what is next. */
export function afterFailure(
  steps: readonly Step[],
  failure: Failed & { readonly paymentId: string | null },
  later: Later,
  isFirst: boolean,
): Next {
  const noted = isFirst ? steps : withResult(steps, failure)
  const next = nextStep(noted, failure)
  if (next === null) return { is: 'exhausted', steps: noted }
  if (later === 'payer') return { is: 'wait', waitsFor: 'customer', steps: noted }
  if (later === 'no' || later === 'new_card') return { is: 'wait', waitsFor: 'new_card', steps: noted }
  const planned = noted.map((step, place) => (place === next.place ? next.step : step))
  return { is: 'try', at: next.step.dueAt, steps: planned }
}

/** The try that was due was made, whoever made it. */
function withResult(
  steps: readonly Step[],
  { at, code, paymentId }: Failed & { readonly paymentId: string | null },
): Step[] {
  const place = steps.findIndex(({ attemptedAt, dueAt }) => attemptedAt === null && dueAt <= at)
  return steps.map((step, index) => (index === place ? { ...step, attemptedAt: at, code, paymentId } : step))
}
