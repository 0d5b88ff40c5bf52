/**
 * Aggregates counted attempts into the snapshot that decisions use, and converts a stored snapshot to its in-memory
 * form. No side effects.
 */
import type { Adaptive } from '../payment-route.ts'
import { type RuleFigures, segmentKey, settingsKey } from './adaptive.ts'
import type { Arm } from './bandit.ts'

/** The first attempts at an account for one rule, currency, card brand and card country. */
export type Cell = Arm & {
  readonly rule: string
  readonly accountId: string
  readonly currency: string
  readonly card_brand: string
  readonly card_country: string
}

/** The stored form: by rule, its settings and segments, each a list of accounts with their figures. */
export type StoredSnapshot = { readonly [rule: string]: StoredRule }
type StoredRule = {
  readonly settings: string
  readonly segments: readonly (readonly [segment: string, accounts: readonly StoredArm[]])[]
}
type StoredArm = readonly [accountId: string, attempts: number, approved: number]

/**
 * The maximum number of segments per rule. The smallest segments beyond it are dropped: they would use memory in
 * every process, but never have enough attempts to decide.
 */
const maxSegments = 2_000

/** Adds up the cells of each rule by segment. */
export function snapshotOf(
  settingsByRule: ReadonlyMap<string, Adaptive>,
  cells: readonly Cell[],
): StoredSnapshot {
  const byRule = Map.groupBy(cells, ({ rule }) => rule)
  return Object.fromEntries(
    [...settingsByRule].map(([rule, settings]) => [rule, storedRuleOf(settings, byRule.get(rule) ?? [])]),
  )
}

function storedRuleOf(settings: Adaptive, cells: readonly Cell[]): StoredRule {
  const segments = Map.groupBy(cells, (cell) =>
    segmentKey(settings.segment_by.map((field) => segmentValueOf(cell, field))),
  )
  const storedSegments = [...segments].map(([segment, members]) => [segment, armsOf(members)] as const)
  const largestFirst = storedSegments.toSorted(
    (a, b) => totalAttempts(b[1]) - totalAttempts(a[1]) || (a[0] < b[0] ? -1 : 1),
  )
  return { settings: settingsKey(settings), segments: largestFirst.slice(0, maxSegments) }
}

function segmentValueOf(cell: Cell, field: Adaptive['segment_by'][number]): string | null {
  const value = { currency: cell.currency, 'card.brand': cell.card_brand, 'card.country': cell.card_country }
  return value[field] || null
}

function armsOf(cells: readonly Cell[]): readonly StoredArm[] {
  const sum = (members: readonly Cell[], figure: keyof Arm) =>
    members.reduce((total, member) => total + member[figure], 0)
  return [...Map.groupBy(cells, ({ accountId }) => accountId)]
    .map(([id, members]): StoredArm => [id, sum(members, 'attempts'), sum(members, 'approved')])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function totalAttempts(arms: readonly StoredArm[]): number {
  return arms.reduce((total, [, attempts]) => total + attempts, 0)
}

/** The form that decisions use. */
export function figuresOf(stored: StoredSnapshot): ReadonlyMap<string, RuleFigures> {
  return new Map(
    Object.entries(stored).map(([rule, { settings, segments }]) => [
      rule,
      { settings, segments: new Map(segments.map(([segment, arms]) => [segment, armMap(arms)])) },
    ]),
  )
}

function armMap(arms: readonly StoredArm[]): ReadonlyMap<string, Arm> {
  return new Map(arms.map(([id, attempts, approved]) => [id, { attempts, approved }]))
}
