/** Formats the results as tables, with their goals. */
import { table } from '../table.ts'
import { type Rounds, ratioOf } from './compare.ts'
import { type Quartiles, quartilesOf } from './quartiles.ts'
import type { StartUp } from './start-up.ts'

type Goal = {
  readonly name: string
  readonly base: string
  /** The required minimum of the upper quartile. */
  readonly limit: number
  readonly target: number
}

const goals: readonly Goal[] = [
  { name: 'POST /customers', base: 'pg: customer and event', limit: 0.25, target: 0.5 },
  { name: 'POST /customers', base: 'pg: one row', limit: 0.25, target: 0.4 },
  { name: 'POST /customers, with a key', base: 'pg: customer, event and key', limit: 0.25, target: 0.5 },
  { name: 'POST /payments', base: 'pg: payment in two commits', limit: 0.35, target: 0.5 },
  { name: 'GET /events/{id}', base: 'bare route', limit: 0.25, target: 0.5 },
  { name: 'engine-worker', base: 'bare-worker', limit: 0.5, target: 0.7 },
]

export type Ratio = Goal & Quartiles

export function ratiosOf(rounds: Rounds): Ratio[] {
  return goals
    .filter(({ name, base }) => rounds.has(name) && rounds.has(base))
    .map((goal) => ({ ...goal, ...ratioOf(rounds, goal.name, goal.base) }))
}

export function ratiosTable(rounds: Rounds): string {
  const rows = ratiosOf(rounds).map(({ name, base, limit, target, lower, median, upper }) => [
    `${name} / ${base}`,
    ...[lower, median, upper].map(roundToHundredth),
    limit,
    target,
    assessment({ limit, target, median, upper }),
  ])
  return table(['ratio', 'lower', 'median', 'upper', 'limit', 'target', ''], rows)
}

function assessment({
  limit,
  target,
  median,
  upper,
}: Pick<Ratio, 'limit' | 'target' | 'median' | 'upper'>): string {
  if (upper < limit) return 'missed'
  return median >= target ? 'reached' : 'below the target'
}

/** The rate of each variant, and its CPU time by process. */
export function ratesTable(rounds: Rounds): string {
  const rows = [...rounds].map(([variant, roundsOfVariant]) => {
    const { lower, median, upper } = quartilesOf(roundsOfVariant.map(({ perSecond }) => perSecond))
    const medianOf = (pick: (round: (typeof roundsOfVariant)[number]) => number) =>
      roundToHundredth(quartilesOf(roundsOfVariant.map(pick)).median)
    const processes = Object.keys(roundsOfVariant[0]?.cpuMs ?? {})
    const cpu = processes.map((name) => `${name} ${medianOf(({ cpuMs }) => cpuMs[name] ?? 0)}`)
    const latency = roundsOfVariant.some(({ p50Ms }) => Number.isNaN(p50Ms))
      ? ['', '']
      : [medianOf(({ p50Ms }) => p50Ms), medianOf(({ p99Ms }) => p99Ms)]
    return [variant, ...[lower, median, upper].map(Math.round), ...latency, cpu.join(', ')]
  })
  return table(['per second', 'lower', 'median', 'upper', 'p50 ms', 'p99 ms', 'CPU-ms per operation'], rows)
}

export function startUpTable({ readyMs, readyCpuMs, idleMb, idleCpuPercent }: StartUp): string {
  return table(
    ['all, from the bundle', 'measured', 'limit', 'target'],
    [
      ['ready after start, ms', Math.round(readyMs), 1_500, 800],
      ['CPU time until ready, ms', Math.round(readyCpuMs), '', ''],
      ['resident when idle, MB', Math.round(idleMb), 200, 150],
      ['CPU when idle, %', roundToHundredth(idleCpuPercent), 1, 1],
    ],
  )
}

function roundToHundredth(number: number): number {
  return Math.round(number * 100) / 100
}
