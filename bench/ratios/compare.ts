/** Runs variants in turns (A, B, A, B), so that other load on the machine affects all of them equally. */
import type { LoadResult } from './http-load.ts'
import { type Quartiles, quantile, quartilesOf } from './quartiles.ts'

export type Variant = {
  readonly name: string
  readonly run: (forMs: number) => Promise<Pick<LoadResult, 'operations' | 'ms'> & Partial<LoadResult>>
}

export type Round = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time per operation, by process. */
  readonly cpuMs: Readonly<Record<string, number>>
}

export type Rounds = ReadonlyMap<string, readonly Round[]>

export type Clocks = Readonly<Record<string, () => number>>

export type Turns = {
  readonly variants: readonly Variant[]
  readonly rounds: number
  readonly forMs: number
  /** CPU time of the measured processes, in milliseconds since their start. */
  readonly clocks: Clocks
}

export async function runInTurns({ variants, rounds, forMs, clocks }: Turns): Promise<Rounds> {
  const results = new Map<string, Round[]>(variants.map(({ name }) => [name, []]))
  for (const { run } of variants) await run(forMs)
  for (let round = 0; round < rounds; round += 1) {
    for (const variant of variants) results.get(variant.name)?.push(await measure(variant, forMs, clocks))
  }
  return results
}

async function measure({ run }: Variant, forMs: number, clocks: Clocks): Promise<Round> {
  const readClocks = () => Object.fromEntries(Object.entries(clocks).map(([name, clock]) => [name, clock()]))
  const before = readClocks()
  const { operations, ms, latenciesMs = [] } = await run(forMs)
  const after = readClocks()
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const spent = (name: string) => ((after[name] ?? 0) - (before[name] ?? 0)) / operations
  return {
    perSecond: (operations * 1000) / ms,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMs: Object.fromEntries(Object.keys(clocks).map((name) => [name, spent(name)])),
  }
}

/** The ratio of two variants, round by round. */
export function ratioOf(rounds: Rounds, name: string, base: string): Quartiles {
  const bases = rounds.get(base) ?? []
  const ratios = (rounds.get(name) ?? []).map(
    ({ perSecond }, round) => perSecond / (bases[round]?.perSecond ?? Number.NaN),
  )
  return quartilesOf(ratios)
}

/** The median rate per second. */
export function rateOf(rounds: Rounds, name: string): number {
  return quartilesOf((rounds.get(name) ?? []).map(({ perSecond }) => perSecond)).median
}

/** The median CPU time of all processes per operation. */
export function cpuTimeOf(rounds: Rounds, name: string): number {
  const sums = (rounds.get(name) ?? []).map(({ cpuMs }) =>
    Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0),
  )
  return quartilesOf(sums).median
}
