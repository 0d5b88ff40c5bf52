/**
 * The circuit breaker of a webhook endpoint. After a few failures only occasional probes are sent; pending deliveries
 * use up no attempts during this time. A success closes it. No side effects.
 */

/** The number of consecutive failures that opens the breaker. */
const failuresToOpen = 5
/** The breaker also opens if half of this many attempts within a minute failed. */
const recentAttempts = 20
const recentMs = 60_000
const firstProbeSeconds = 5
const longestProbeSeconds = 300

export type Breaker = {
  readonly open: boolean
  /** The wait before the last probe; it doubles with each failed probe. */
  readonly probeWaitSeconds: number
  readonly consecutiveFailures: number
  readonly recent: readonly { readonly atMs: number; readonly failed: boolean }[]
}

export const closedBreaker: Breaker = { open: false, probeWaitSeconds: 0, consecutiveFailures: 0, recent: [] }

/** Continues with the state stored by the process that served the endpoint before. */
export function resumeBreaker(
  stored: Pick<Breaker, 'open' | 'probeWaitSeconds' | 'consecutiveFailures'>,
): Breaker {
  return { ...closedBreaker, ...stored }
}

export function afterSuccess(breaker: Breaker, atMs: number): Breaker {
  if (breaker.open) return closedBreaker
  return { ...breaker, consecutiveFailures: 0, recent: withRecent(breaker, atMs, false) }
}

/**
 * `wasProbe`: whether the attempt was a probe. One that was in flight when the breaker opened does not
 * lengthen the wait.
 */
export function afterFailure(breaker: Breaker, atMs: number, wasProbe: boolean): Breaker {
  const consecutiveFailures = breaker.consecutiveFailures + 1
  if (breaker.open && !wasProbe) return { ...breaker, consecutiveFailures }
  const recent = withRecent(breaker, atMs, true)
  const failed = recent.filter((attempt) => attempt.failed).length
  const opens =
    consecutiveFailures >= failuresToOpen || (recent.length >= recentAttempts && failed >= recentAttempts / 2)
  if (!breaker.open && !opens) return { ...breaker, consecutiveFailures, recent }
  return { open: true, probeWaitSeconds: nextProbeWait(breaker), consecutiveFailures, recent: [] }
}

function nextProbeWait({ open, probeWaitSeconds }: Breaker): number {
  return open ? Math.min(probeWaitSeconds * 2, longestProbeSeconds) : firstProbeSeconds
}

function withRecent({ recent }: Breaker, atMs: number, failed: boolean): Breaker['recent'] {
  return [...recent, { atMs, failed }]
    .filter((attempt) => atMs - attempt.atMs <= recentMs)
    .slice(-recentAttempts)
}
