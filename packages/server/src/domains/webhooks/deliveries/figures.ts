/**
 * Statistics of an endpoint over its latest deliveries. A value that is not known is null, never an estimate.
 */
import type { DeliveryOutcome, DeliveryState } from './delivery.ts'
import { outcomes } from './delivery.ts'

/** The statistics cover this many of the latest deliveries. */
export const consideredDeliveries = 1_000

/** Deliveries and attempts, grouped by the database. */
export type GroupedDeliveries = {
  readonly deliveries: readonly { readonly state: DeliveryState; readonly count: number }[]
  readonly attempts: readonly AttemptGroup[]
  /** Creation time of the oldest delivery that is counted. */
  readonly sinceAt: Date | null
  readonly nextAttemptAt: Date | null
}

/** Attempts with the same outcome, first attempts separated from later ones. */
type AttemptGroup = {
  readonly outcome: DeliveryOutcome
  readonly isFirst: boolean
  /** One duration per attempt. */
  readonly durationsMs: readonly number[]
}

export type Figures = {
  readonly sinceAt: Date | null
  readonly deliveries: number
  readonly delivered: number
  readonly deliveredFirstTry: number
  readonly failed: number
  readonly waiting: number
  readonly attempts: number
  readonly successRate: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly outcomes: { readonly [O in DeliveryOutcome]: number }
  readonly nextAttemptAt: Date | null
}

export function computeFigures(grouped: GroupedDeliveries): Figures {
  const inStates = (...states: readonly DeliveryState[]) =>
    sum(grouped.deliveries.filter(({ state }) => states.includes(state)).map(({ count }) => count))
  const attempts = sum(grouped.attempts.map(countOf))
  const succeeded = grouped.attempts.filter(({ outcome }) => outcome === 'ok')
  const durations = succeeded.flatMap(({ durationsMs }) => durationsMs).toSorted((a, b) => a - b)
  return {
    sinceAt: grouped.sinceAt,
    deliveries: sum(grouped.deliveries.map(({ count }) => count)),
    delivered: inStates('delivered'),
    deliveredFirstTry: sum(succeeded.filter(({ isFirst }) => isFirst).map(countOf)),
    failed: inStates('exhausted'),
    waiting: inStates('pending', 'held'),
    attempts,
    successRate: attempts === 0 ? null : round(durations.length / attempts),
    p50Ms: percentile(durations, 50),
    p95Ms: percentile(durations, 95),
    outcomes: countByOutcome(grouped.attempts),
    nextAttemptAt: grouped.nextAttemptAt,
  }
}

/** The smallest value that at least `percent` percent of the values do not exceed. Requires a sorted list. */
export function percentile(sorted: readonly number[], percent: number): number | null {
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null
}

function countByOutcome(groups: readonly AttemptGroup[]): Figures['outcomes'] {
  const counts = outcomes.map((outcome) => [
    outcome,
    sum(groups.filter((group) => group.outcome === outcome).map(countOf)),
  ])
  return Object.fromEntries(counts)
}

const countOf = ({ durationsMs }: AttemptGroup) => durationsMs.length
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
/** Four decimal places: more would be noise for a thousand deliveries. */
const round = (share: number) => Math.round(share * 10_000) / 10_000
