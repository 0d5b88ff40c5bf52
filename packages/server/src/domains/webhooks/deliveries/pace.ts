/** Concurrency and rate of the requests to one receiver. No side effects. */
import type { DeliveryOutcome } from './delivery.ts'

/** The initial number of concurrent requests; it grows with each success. */
export const initialWindow = 4

/** The allowed number of requests in flight: one more for each success, halved after a sign of overload. */
export function windowAfter(window: number, outcome: DeliveryOutcome, maxInFlight: number): number {
  if (outcome === 'ok') return Math.min(window + 1, maxInFlight)
  if (outcome === 'timeout' || outcome === 'throttled') return Math.max(1, Math.floor(window / 2))
  return Math.min(window, maxInFlight)
}

/** When the next request may be sent to stay within `perSecond`; `null`: no limit. */
export function nextSendMs(lastSendMs: number, perSecond: number | null, nowMs: number): number {
  if (perSecond === null) return nowMs
  return Math.max(nowMs, lastSendMs + 1000 / perSecond)
}
