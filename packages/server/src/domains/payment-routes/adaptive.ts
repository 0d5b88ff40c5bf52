/**
 * A priority that follows what its accounts approve, if it is asked to. First attempts of the last days are counted
 * by segments of payments; a segment with too few of them keeps to the fixed order. The same payment, revision and
 * snapshot of figures give the same answer in any process, and the trace holds what was known.
 */
import { type Arm, leaderOf, lotAt, lotsOf, scoresOf } from './bandit.ts'
import { bucketOf, drawsOf } from './draw.ts'
import type { Operands } from './operands.ts'

export const segmentOperands = ['currency', 'card.brand', 'card.country'] as const
export type SegmentOperand = (typeof segmentOperands)[number]

export type Adaptive = {
  readonly enabled: boolean
  readonly window_days: number
  readonly exploration_percent: number
  readonly segment_by: readonly SegmentOperand[]
}

export const usualAdaptive: Omit<Adaptive, 'enabled'> = {
  window_days: 14,
  exploration_percent: 5,
  segment_by: segmentOperands,
}

/** With fewer in its window a segment keeps to the fixed order: else chance would decide, and not the accounts. */
export const neededAttempts = 5_000
export const longestWindowDays = 30

/** The figures of a route, as every process knows them. */
export type Snapshot = {
  readonly number: number
  /** As a trace shows it. */
  readonly takenAt: string
  /** By the name of the rule; those of the default by an empty one. */
  readonly rules: ReadonlyMap<string, RuleFigures>
}

export type RuleFigures = {
  /** What they were made by: an action that says otherwise cannot use them. */
  readonly settings: string
  /** By segment, then by account. */
  readonly segments: ReadonlyMap<string, ReadonlyMap<string, Arm>>
}

/** What has to agree between an action and its figures. */
export function settingsKey({
  window_days,
  segment_by,
}: Pick<Adaptive, 'window_days' | 'segment_by'>): string {
  return `${window_days} ${segment_by.join()}`
}

/** By the values of the operands, in the order in which the settings name them. */
export function segmentKey(values: readonly (string | null)[]): string {
  return JSON.stringify(values)
}

export type AdaptiveTrace = {
  readonly snapshot: number | null
  readonly taken_at: string | null
  readonly segment: { readonly [operand: string]: string | null }
  readonly attempts: number
  readonly needed: number
  readonly decides: boolean
  readonly drawn: number | null
  readonly accounts: readonly AccountTrace[]
}

type AccountTrace = Arm & {
  readonly provider_account_id: string
  readonly score: number
  readonly probability: number | null
}

export type Situation = {
  readonly settings: Adaptive
  /** The name of the rule; empty: the default. */
  readonly rule: string
  readonly snapshot: Snapshot | null
  readonly operands: Operands
  /** What the lot is drawn by. */
  readonly payment: string
  /** All accounts of the action: together their attempts are those of the segment. */
  readonly targets: readonly string[]
  /** Those that can take it and do not fail at the moment, in the fixed order. */
  readonly able: readonly string[]
  /** After a failure the payer waits: that is no time to try something out. */
  readonly isFirst: boolean
}

export type Adapted = {
  /** Those that are able, the first to be asked first. */
  readonly order: readonly string[]
  readonly trace: AdaptiveTrace
  /** For the cause that people read. */
  readonly words: string
}

export function adapt(situation: Situation): Adapted {
  const { settings, snapshot, operands, targets, able, isFirst } = situation
  const values = settings.segment_by.map((field) => (operands[field] as string | undefined) ?? null)
  const figures = figuresOf(situation, segmentKey(values))
  const armOf = (id: string) => figures?.get(id) ?? never
  const attempts = targets.reduce((sum, id) => sum + armOf(id).attempts, 0)
  const arms = able.map(armOf)
  const decides = attempts >= neededAttempts
  const lots = decides && isFirst && arms.length > 1 ? lotsOf(arms, settings.exploration_percent) : null
  const drawn = lots === null ? null : bucketOf(`adaptive:${situation.rule}`, situation.payment)
  const trace: AdaptiveTrace = {
    snapshot: snapshot?.number ?? null,
    taken_at: snapshot?.takenAt ?? null,
    segment: Object.fromEntries(settings.segment_by.map((field, at) => [field, values[at] ?? null])),
    ...{ attempts, needed: neededAttempts, decides, drawn },
    accounts: accountsIn(able, arms, lots),
  }
  if (!decides) return { order: able, trace, words: `${thousands(attempts)} of ${needed} attempts` }
  return { ...orderOf(able, arms, lots === null ? null : lotAt(lots, drawn as number)), trace }
}

const never: Arm = { attempts: 0, approved: 0 }
const thousands = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
const needed = thousands(neededAttempts)

function figuresOf({ settings, rule, snapshot }: Situation, segment: string) {
  const known = snapshot?.rules.get(rule)
  return known?.settings === settingsKey(settings) ? known.segments.get(segment) : undefined
}

function accountsIn(able: readonly string[], arms: readonly Arm[], lots: readonly number[] | null) {
  const scores = scoresOf(arms)
  return able.map((id, at): AccountTrace => {
    const { attempts, approved } = arms[at] as Arm
    const score = Math.round((scores[at] as number) * 10_000) / 10_000
    const probability = lots === null ? null : (lots[at] as number) / drawsOf
    return { provider_account_id: id, attempts, approved, score, probability }
  })
}

/** The one that the lot fell to, the leader, and then the others as they stand: whatever is tried out, the best is next. */
function orderOf(able: readonly string[], arms: readonly Arm[], asked: number | null) {
  if (arms.length === 0) return { order: able, words: 'no account to choose from' }
  const leader = able[leaderOf(arms)] as string
  const first = asked === null ? leader : (able[asked] as string)
  const words = first === leader ? 'goes to the leader' : 'tried out by lot'
  const others = able.filter((id) => id !== first && id !== leader)
  return { order: first === leader ? [first, ...others] : [first, leader, ...others], words }
}
