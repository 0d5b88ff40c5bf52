/** How an endpoint fares, from its latest deliveries. Exact figures or none: nothing is guessed. */
import type { DeliveryState, Outcome } from './delivery.ts'
import { outcomes } from './delivery.ts'

/** So many of the latest deliveries are looked at, however many there were. */
export const consideredDeliveries = 1_000

/** What was read, grouped as the database counts best. */
export type Observed = {
  readonly deliveries: readonly { readonly state: DeliveryState; readonly count: number }[]
  readonly attempts: readonly AttemptGroup[]
  /** When the oldest delivery that was looked at came to be. */
  readonly sinceAt: Date | null
  /** When the one that is first in turn is due. */
  readonly nextAttemptAt: Date | null
}

/** Attempts with the same end, those that were the first of their delivery apart from the others. */
type AttemptGroup = {
  readonly outcome: Outcome
  readonly isFirst: boolean
  /** One per attempt. */
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
  readonly outcomes: { readonly [O in Outcome]: number }
  readonly nextAttemptAt: Date | null
}

export function figuresOf(observed: Observed): Figures {
  const inStates = (...states: readonly DeliveryState[]) =>
    sum(observed.deliveries.filter(({ state }) => states.includes(state)).map(({ count }) => count))
  const attempts = sum(observed.attempts.map(countOf))
  const succeeded = observed.attempts.filter(({ outcome }) => outcome === 'ok')
  const durations = succeeded.flatMap(({ durationsMs }) => durationsMs).toSorted((a, b) => a - b)
  return {
    sinceAt: observed.sinceAt,
    deliveries: sum(observed.deliveries.map(({ count }) => count)),
    delivered: inStates('delivered'),
    deliveredFirstTry: sum(succeeded.filter(({ isFirst }) => isFirst).map(countOf)),
    failed: inStates('exhausted'),
    waiting: inStates('pending', 'held'),
    attempts,
    successRate: attempts === 0 ? null : round(durations.length / attempts),
    p50Ms: percentile(durations, 50),
    p95Ms: percentile(durations, 95),
    outcomes: countByOutcome(observed.attempts),
    nextAttemptAt: observed.nextAttemptAt,
  }
}

/** The least value that so many of a hundred do not exceed: one that was really measured. Of a sorted list. */
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
/** Four places: of a thousand deliveries, more would be noise. */
const round = (share: number) => Math.round(share * 10_000) / 10_000
