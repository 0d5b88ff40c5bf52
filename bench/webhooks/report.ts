/** Formats the results as tables, with their goals. */
import { type Rounds, ratioOf } from '../ratios/compare.ts'
import { type Quartiles, quartilesOf } from '../ratios/quartiles.ts'
import { table } from '../table.ts'
import type { Isolation } from './isolation.ts'
import type { Latency } from './latency.ts'
import type { CountedEvents } from './statements.ts'
import { variants } from './throughput.ts'
import type { Volume } from './volume.ts'

type Goal = { readonly base: string; readonly limit: number; readonly target: number }

const goals: readonly Goal[] = [
  { base: variants.oneByOne, limit: 0.5, target: 0.7 },
  { base: variants.inBatches, limit: 0.5, target: 0.7 },
  { base: variants.jetStream, limit: 0.5, target: 0.7 },
]

export type Ratio = Goal & Quartiles

export function ratiosOf(rounds: Rounds): Ratio[] {
  return goals.map((goal) => ({ ...goal, ...ratioOf(rounds, variants.switchyard, goal.base) }))
}

export function ratiosTable(rounds: Rounds): string {
  const rows = ratiosOf(rounds).map(({ base, lower, median, upper, limit, target }) => [
    `${variants.switchyard} / ${base}`,
    ...[lower, median, upper].map(roundToHundredth),
    limit,
    target,
    upper < limit ? 'missed' : median >= target ? 'reached' : 'below the target',
  ])
  return table(['ratio', 'lower', 'median', 'upper', 'limit', 'target', ''], rows)
}

/** A value that should not exceed its goal. */
const atMost = (what: string, measured: number, goal: number) => [
  what,
  roundToHundredth(measured),
  goal,
  measured <= goal ? 'reached' : 'missed',
]

const head = ['', 'measured', 'at most', '']

/** Rounds the figures, so that occasional statements of the reconciler do not count for every event. */
export function statementsTable(
  oneAtATime: CountedEvents | null,
  underLoad: readonly number[] | null,
): string {
  const roundToTenth = (number: number) => Math.round(number * 10) / 10
  return table(head, [
    ...(oneAtATime === null
      ? []
      : [atMost('statements per event, one at a time', roundToTenth(oneAtATime.perEvent), 3)]),
    ...(underLoad === null
      ? []
      : [atMost('statements per delivery, from a backlog', quartilesOf(underLoad).median, 0.3)]),
  ])
}

export function latencyTable({ maximum, offered, p50Ms, p99Ms }: Latency): string {
  const rates = `${Math.round(offered)} of ${Math.round(maximum)} deliveries per second`
  return table(
    [`commit to request at ${rates}`, 'measured', 'at most', ''],
    [atMost('p50, ms', p50Ms, 15), atMost('p99, ms', p99Ms, 100)],
  )
}

export function isolationTable({ rounds, offered, rate, p99 }: Isolation): string {
  const rows = Object.entries(rounds).map(([health, healthRounds]) => [
    health,
    Math.round(quartilesOf(healthRounds.map(({ perSecond }) => perSecond)).median),
    roundToHundredth(quartilesOf(healthRounds.map(({ p99Ms }) => p99Ms)).median),
  ])
  const figures = table(
    ['healthy endpoints', 'per second', `p99 ms at ${Math.round(offered)} per second`],
    rows,
  )
  const ratios = table(
    ['three percent failing / all healthy', 'lower', 'median', 'upper', 'goal', ''],
    [
      ['rate', ...quartiles(rate), 0.95, rate.upper >= 0.95 ? 'reached' : 'missed'],
      ['p99', ...quartiles(p99), 1.2, p99.lower <= 1.2 ? 'reached' : 'missed'],
    ],
  )
  return `${figures}\n\n${ratios}`
}

export function volumeTable(volume: Volume): string {
  const { events, endpoints, received, verified, missing, duplicates, refusals } = volume
  return table(
    ['end to end', ''],
    [
      ['events', events],
      ['endpoints', endpoints],
      ['received, each pair once', received],
      ['missing', missing],
      ['received again', duplicates],
      ['requests verified by the SDK', verified],
      ['requests rejected by the SDK', refusals.length],
      ['published after, s', roundToHundredth(volume.publishedSeconds)],
      ['all arrived after, s', roundToHundredth(volume.arrivedSeconds)],
      ['deliveries per second', Math.round(received / volume.arrivedSeconds)],
    ],
  )
}

function quartiles({ lower, median, upper }: Quartiles): number[] {
  return [lower, median, upper].map(roundToHundredth)
}

function roundToHundredth(number: number): number {
  return Math.round(number * 100) / 100
}
