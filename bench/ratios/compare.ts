/** Variants of one thing in turns, A, B, A, B, so that what else the machine does falls on all of them alike. */
import type { Done } from './http-load.ts'
import { at, type Quartiles, quartilesOf } from './quartiles.ts'

export type Variant = {
  readonly name: string
  readonly run: (forMs: number) => Promise<Pick<Done, 'operations' | 'ms'> & Partial<Done>>
}

export type Round = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time per operation, by whom it was used. */
  readonly cpuMs: Readonly<Record<string, number>>
}

export type Rounds = ReadonlyMap<string, readonly Round[]>

export type Clocks = Readonly<Record<string, () => number>>

export type Turns = {
  readonly variants: readonly Variant[]
  readonly rounds: number
  readonly forMs: number
  /** Whose processor time is looked at, in milliseconds since their start. */
  readonly clocks: Clocks
}

export async function takeTurns({ variants, rounds, forMs, clocks }: Turns): Promise<Rounds> {
  const results = new Map<string, Round[]>(variants.map(({ name }) => [name, []]))
  for (const { run } of variants) await run(forMs)
  for (let round = 0; round < rounds; round += 1) {
    for (const variant of variants) results.get(variant.name)?.push(await measure(variant, forMs, clocks))
  }
  return results
}

async function measure({ run }: Variant, forMs: number, clocks: Clocks): Promise<Round> {
  const look = () => Object.fromEntries(Object.entries(clocks).map(([name, clock]) => [name, clock()]))
  const before = look()
  const { operations, ms, latenciesMs = [] } = await run(forMs)
  const after = look()
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const spent = (name: string) => ((after[name] ?? 0) - (before[name] ?? 0)) / operations
  return {
    perSecond: (operations * 1000) / ms,
    p50Ms: at(sorted, 0.5),
    p99Ms: at(sorted, 0.99),
    cpuMs: Object.fromEntries(Object.keys(clocks).map((name) => [name, spent(name)])),
  }
}

/** A round of one beside the same round of the other. */
export function ratioOf(rounds: Rounds, name: string, base: string): Quartiles {
  const bases = rounds.get(base) ?? []
  const ratios = (rounds.get(name) ?? []).map(
    ({ perSecond }, round) => perSecond / (bases[round]?.perSecond ?? Number.NaN),
  )
  return quartilesOf(ratios)
}

/** The middle of its rounds, a second. */
export function rateOf(rounds: Rounds, name: string): number {
  return quartilesOf((rounds.get(name) ?? []).map(({ perSecond }) => perSecond)).median
}

/** Processor time of everybody for one operation, in the middle of its rounds. */
export function effortOf(rounds: Rounds, name: string): number {
  const sums = (rounds.get(name) ?? []).map(({ cpuMs }) =>
    Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0),
  )
  return quartilesOf(sums).median
}
