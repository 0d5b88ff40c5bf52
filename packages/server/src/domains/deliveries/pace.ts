/** How much is sent to one receiver at a time, and how fast. Pure. */
import type { Outcome } from './delivery.ts'

/** A receiver that is new to this process gets a few at once, and more as it answers. */
export const firstWindow = 4

/** How many may be under way: one more for each success, half after a sign that it is too much. */
export function windowAfter(window: number, outcome: Outcome, maxInFlight: number): number {
  if (outcome === 'ok') return Math.min(window + 1, maxInFlight)
  if (outcome === 'timeout' || outcome === 'throttled') return Math.max(1, Math.floor(window / 2))
  return Math.min(window, maxInFlight)
}

/** When the next request may leave, so that no more than `perSecond` do; `null` is no limit. */
export function nextTurn(lastTurnMs: number, perSecond: number | null, nowMs: number): number {
  if (perSecond === null) return nowMs
  return Math.max(nowMs, lastTurnMs + 1000 / perSecond)
}
