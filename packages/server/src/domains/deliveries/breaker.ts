/**
 * Keeps a receiver that is down from costing anybody anything. After a few failures nothing is sent but one
 * probe now and then; those that wait spend no attempts meanwhile. A success closes it. Pure.
 */

/** Failures in a row that open it. */
const rowToOpen = 5
/** Or half of this many within a minute. */
const recentCount = 20
const recentMs = 60_000
const firstProbeSeconds = 5
const longestProbeSeconds = 300

export type Breaker = {
  readonly open: boolean
  /** How long it waited for the last probe; doubles with each that fails. */
  readonly probeWaitSeconds: number
  readonly inARow: number
  readonly recent: readonly { readonly atMs: number; readonly failed: boolean }[]
}

export const closedBreaker: Breaker = { open: false, probeWaitSeconds: 0, inARow: 0, recent: [] }

/** As it was left by whoever served the endpoint before. */
export function resumeBreaker(left: Pick<Breaker, 'open' | 'probeWaitSeconds' | 'inARow'>): Breaker {
  return { ...closedBreaker, ...left }
}

export function afterSuccess(breaker: Breaker, atMs: number): Breaker {
  if (breaker.open) return closedBreaker
  return { ...breaker, inARow: 0, recent: remember(breaker, atMs, false) }
}

/** `wasProbe`: one that was under way when it opened says nothing new, and makes nobody wait longer. */
export function afterFailure(breaker: Breaker, atMs: number, wasProbe: boolean): Breaker {
  const inARow = breaker.inARow + 1
  if (breaker.open && !wasProbe) return { ...breaker, inARow }
  const recent = remember(breaker, atMs, true)
  const failed = recent.filter((one) => one.failed).length
  const opens = inARow >= rowToOpen || (recent.length >= recentCount && failed >= recentCount / 2)
  if (!breaker.open && !opens) return { ...breaker, inARow, recent }
  return { open: true, probeWaitSeconds: nextProbeWait(breaker), inARow, recent: [] }
}

function nextProbeWait({ open, probeWaitSeconds }: Breaker): number {
  return open ? Math.min(probeWaitSeconds * 2, longestProbeSeconds) : firstProbeSeconds
}

function remember({ recent }: Breaker, atMs: number, failed: boolean): Breaker['recent'] {
  return [...recent, { atMs, failed }].filter((one) => atMs - one.atMs <= recentMs).slice(-recentCount)
}
