/** How fast a recovery goes on, so that a receiver that has just come back is not run over. Pure. */
import { addSeconds } from '../../kernel/clock.ts'

/** One step changes at most so many rows, so that its transaction stays short. */
const mostPerStep = 1_000
/** A step releases what may go out in this time: fewer steps than that would come in bursts. */
const stepSeconds = 5

/** How many a step may release; `rate` is per second, null for as many as it takes. */
export function portionOf(rate: number | null): number {
  return rate === null ? mostPerStep : Math.min(mostPerStep, rate * stepSeconds)
}

/** When the next step is due, if this one released so many. */
export function nextStepAt(now: Date, rate: number | null, released: number): Date {
  return rate === null ? now : addSeconds(now, released / rate)
}
