/**
 * Decides whether a soak run passed. Growth is the difference between the medians of the first and the last third of
 * the run: a single slow interval does not fail it, a slow leak does. No side effects.
 */
import { quantile, quartilesOf } from '../ratios/quartiles.ts'

/** What was measured in one interval of the run. */
export type Interval = {
  /** The end of the interval, since the start of the load. */
  readonly atSeconds: number
  readonly seconds: number
  /** The latency of `POST /payments`, measured from the time at which each request was due. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly payments: number
  /** How late the generator sent its requests. */
  readonly sentLateP99Ms: number
  readonly deliveriesPerSecond: number
  /** The delay of deliveries, from the time of the event to its arrival at the receiver. */
  readonly lagP50Ms: number
  readonly lagP99Ms: number
  readonly memoryMb: Readonly<Record<string, number>>
  readonly cpuMs: Readonly<Record<string, number>>
  readonly pendingDeliveries: number
  readonly openOperations: number
  /** The age of the oldest due work at the last run of the reconciler. */
  readonly oldestDueSeconds: number
  readonly databaseBytes: number
  /** WAL since the start of the load. */
  readonly walBytes: number
}

export type Limits = {
  readonly p99Ms: number
  /** `POST /payments` per second. */
  readonly ratePerSecond: number
  /** Processes whose memory must not grow. The others record the run. */
  readonly steadyProcesses: readonly string[]
}

export type Requests = {
  /** The number of payments that were due during the load, and the number that got a response. */
  readonly due: number
  readonly answered: number
  /** The latencies of the payments in all intervals. */
  readonly latenciesMs: readonly number[]
  readonly failures: readonly string[]
}

/** With fewer intervals, the first and the last third are too short to compare. */
const minIntervals = 9
/** Memory may grow by this factor, and by this many MB in addition: heaps and caches fill up at the beginning. */
const memoryFactor = 1.2
const memoryMarginMb = 32
/** The backlog may grow by the amount of work that arrives in this time. */
const backlogSeconds = 2
const maxExamples = 5

/** Each violation is a sentence; an empty list means success. */
export function findSoakViolations(
  intervals: readonly Interval[],
  requests: Requests,
  limits: Limits,
): string[] {
  if (intervals.length < minIntervals)
    return [
      `There are ${intervals.length} intervals. At least ${minIntervals} are needed: run it for longer.`,
    ]
  return [
    ...findFailedRequests(requests),
    ...findSlowRequests(requests, limits),
    ...findMemoryGrowth(intervals, limits),
    ...findBacklogGrowth(intervals, limits),
  ]
}

function findFailedRequests({ due, answered, failures }: Requests): string[] {
  const counted = failures.length > 0 ? [`${failures.length} requests failed.`] : []
  const unanswered = answered === due ? [] : [`${answered} of ${due} payments got a response.`]
  return [...counted, ...failures.slice(0, maxExamples), ...unanswered]
}

function findSlowRequests({ latenciesMs }: Requests, limits: Limits): string[] {
  const p99Ms = quantile(
    latenciesMs.toSorted((a, b) => a - b),
    0.99,
  )
  // Not `>`: without any request the quantile is NaN, which must fail too.
  return p99Ms <= limits.p99Ms
    ? []
    : [`The p99 of POST /payments is ${Math.round(p99Ms)} ms; the limit is ${limits.p99Ms} ms.`]
}

function findMemoryGrowth(intervals: readonly Interval[], { steadyProcesses }: Limits): string[] {
  return steadyProcesses.flatMap((name) => {
    const { first, last } = thirdsOf(intervals, ({ memoryMb }) => memoryMb[name] ?? Number.NaN)
    const allowed = first * memoryFactor + memoryMarginMb
    if (last <= allowed) return []
    return [
      `The memory of ${name} grew from ${format(first)} to ${format(last)} MB; ${format(allowed)} MB are allowed.`,
    ]
  })
}

function findBacklogGrowth(intervals: readonly Interval[], { ratePerSecond }: Limits): string[] {
  const deliveries = thirdsOf(intervals, ({ deliveriesPerSecond }) => deliveriesPerSecond).first
  const allowances: readonly [string, (interval: Interval) => number, number][] = [
    [
      'number of undelivered events',
      ({ pendingDeliveries }) => pendingDeliveries,
      deliveries * backlogSeconds,
    ],
    ['number of open operations', ({ openOperations }) => openOperations, ratePerSecond * backlogSeconds],
    ['age of the oldest due work in seconds', ({ oldestDueSeconds }) => oldestDueSeconds, backlogSeconds * 5],
    ['p99 delay of deliveries in ms', ({ lagP99Ms }) => lagP99Ms, backlogSeconds * 1_000],
  ]
  return allowances.flatMap(([name, pick, growth]) => {
    const { first, last } = thirdsOf(intervals, pick)
    if (last <= first + growth) return []
    return [
      `The ${name} grew from ${format(first)} to ${format(last)}; ${format(first + growth)} is allowed.`,
    ]
  })
}

export function thirdsOf(intervals: readonly Interval[], pick: (interval: Interval) => number) {
  const third = Math.floor(intervals.length / 3)
  const medianOf = (part: readonly Interval[]) => quartilesOf(part.map(pick)).median
  return { first: medianOf(intervals.slice(0, third)), last: medianOf(intervals.slice(-third)) }
}

const format = (figure: number) => String(Math.round(figure * 10) / 10)
