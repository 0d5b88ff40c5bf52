/** From counted cells to the snapshot that decisions are made by: as it is kept, and as it is asked. Pure. */
import { type Adaptive, type RuleFigures, segmentKey, settingsKey } from './adaptive.ts'
import type { Arm } from './bandit.ts'

/** The first attempts at an account in one of the smallest segments. */
export type Cell = Arm & {
  readonly rule: string
  readonly accountId: string
  readonly currency: string
  readonly card_brand: string
  readonly card_country: string
}

/** As it is kept: by rule, what it was made by and its segments, each a list of accounts with their figures. */
export type Kept = { readonly [rule: string]: KeptRule }
type KeptRule = {
  readonly settings: string
  readonly segments: readonly (readonly [segment: string, accounts: readonly KeptArm[]])[]
}
type KeptArm = readonly [accountId: string, attempts: number, approved: number]

/** More would make every process hold a long tail that never decides anything. */
const mostSegments = 2_000

/** Adds up the cells of each rule by what its action says makes payments alike. */
export function snapshotOf(actions: ReadonlyMap<string, Adaptive>, cells: readonly Cell[]): Kept {
  const byRule = Map.groupBy(cells, ({ rule }) => rule)
  return Object.fromEntries(
    [...actions].map(([rule, settings]) => [rule, keptRule(settings, byRule.get(rule) ?? [])]),
  )
}

function keptRule(settings: Adaptive, cells: readonly Cell[]): KeptRule {
  const segments = Map.groupBy(cells, (cell) =>
    segmentKey(settings.segment_by.map((field) => memberOf(cell, field))),
  )
  const kept = [...segments].map(([segment, members]) => [segment, armsOf(members)] as const)
  const largest = kept.toSorted((a, b) => sizeOf(b[1]) - sizeOf(a[1]) || (a[0] < b[0] ? -1 : 1))
  return { settings: settingsKey(settings), segments: largest.slice(0, mostSegments) }
}

function memberOf(cell: Cell, field: Adaptive['segment_by'][number]): string | null {
  const value = { currency: cell.currency, 'card.brand': cell.card_brand, 'card.country': cell.card_country }
  return value[field] || null
}

function armsOf(cells: readonly Cell[]): readonly KeptArm[] {
  const sum = (members: readonly Cell[], figure: keyof Arm) =>
    members.reduce((total, member) => total + member[figure], 0)
  return [...Map.groupBy(cells, ({ accountId }) => accountId)]
    .map(([id, members]): KeptArm => [id, sum(members, 'attempts'), sum(members, 'approved')])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function sizeOf(arms: readonly KeptArm[]): number {
  return arms.reduce((total, [, attempts]) => total + attempts, 0)
}

/** As decisions ask it. */
export function figuresOf(kept: Kept): ReadonlyMap<string, RuleFigures> {
  return new Map(
    Object.entries(kept).map(([rule, { settings, segments }]) => [
      rule,
      { settings, segments: new Map(segments.map(([segment, arms]) => [segment, armMap(arms)])) },
    ]),
  )
}

function armMap(arms: readonly KeptArm[]): ReadonlyMap<string, Arm> {
  return new Map(arms.map(([id, attempts, approved]) => [id, { attempts, approved }]))
}
