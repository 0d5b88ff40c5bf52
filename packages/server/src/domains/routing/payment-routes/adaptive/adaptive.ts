/**
 * Orders the accounts of a priority by their approval rates, if the route enables it. First attempts within the
 * window are counted by segment; a segment with too few attempts keeps the fixed order. The same payment,
 * revision and snapshot give the same result in any process, and the trace contains the figures that were used.
 */

import type { Operands } from '../engine/operands.ts'
import { bucketCount, bucketOf } from '../engine/split-draw.ts'
import { type Adaptive, segmentOperands } from '../payment-route.ts'
import { type Arm, drawnIndexOf, drawSharesOf, leaderIndexOf, scoresOf } from './bandit.ts'

export const defaultAdaptive: Omit<Adaptive, 'enabled'> = {
  window_days: 14,
  exploration_percent: 5,
  segment_by: segmentOperands,
}

/** A segment with fewer attempts in its window keeps the fixed order, because its rates are mostly noise. */
export const neededAttempts = 5_000
export const maxWindowDays = 30

/** The figures of a route, shared by all processes. */
export type Snapshot = {
  readonly number: number
  /** In the format of the trace. */
  readonly takenAt: string
  /** By rule name; the default action has an empty name. */
  readonly rules: ReadonlyMap<string, RuleFigures>
}

export type RuleFigures = {
  /** The settings the figures were computed with: an action with different settings cannot use them. */
  readonly settings: string
  /** By segment, then by account. */
  readonly segments: ReadonlyMap<string, ReadonlyMap<string, Arm>>
}

/** The settings that an action and its figures must share. */
export function settingsKey({
  window_days,
  segment_by,
}: Pick<Adaptive, 'window_days' | 'segment_by'>): string {
  return `${window_days} ${segment_by.join()}`
}

/** Identifies a segment by its operand values, in the order of `segment_by`. */
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

export type AdaptiveOrderInput = {
  readonly settings: Adaptive
  /** The name of the rule; empty for the default action. */
  readonly ruleName: string
  readonly snapshot: Snapshot | null
  readonly operands: Operands
  /** The id of the payment, which determines the draw. */
  readonly paymentId: string
  /** All accounts of the action. The attempts of the segment are the sum over these accounts. */
  readonly targets: readonly string[]
  /** The eligible accounts whose circuit breaker is not open, in the fixed order. */
  readonly eligible: readonly string[]
  /** False after a failed attempt: the payer is waiting, so there is no exploration. */
  readonly isFirstAttempt: boolean
}

export type AdaptedOrder = {
  /** The eligible accounts in the order in which they are tried. */
  readonly order: readonly string[]
  readonly trace: AdaptiveTrace
  /** The part of the cause that explains the adaptive order. */
  readonly explanation: string
}

export function adaptOrder(input: AdaptiveOrderInput): AdaptedOrder {
  const { settings, snapshot, operands, targets, eligible, isFirstAttempt } = input
  const values = settings.segment_by.map((field) => (operands[field] as string | undefined) ?? null)
  const figures = figuresOf(input, segmentKey(values))
  const armOf = (id: string) => figures?.get(id) ?? noAttempts
  const attempts = targets.reduce((sum, id) => sum + armOf(id).attempts, 0)
  const arms = eligible.map(armOf)
  const decides = attempts >= neededAttempts
  const shares =
    decides && isFirstAttempt && arms.length > 1 ? drawSharesOf(arms, settings.exploration_percent) : null
  const drawn = shares === null ? null : bucketOf(`adaptive:${input.ruleName}`, input.paymentId)
  const trace: AdaptiveTrace = {
    snapshot: snapshot?.number ?? null,
    taken_at: snapshot?.takenAt ?? null,
    segment: Object.fromEntries(settings.segment_by.map((field, index) => [field, values[index] ?? null])),
    attempts,
    needed: neededAttempts,
    decides,
    drawn,
    accounts: accountTraces(eligible, arms, shares),
  }
  if (!decides) return { order: eligible, trace, explanation: `${thousands(attempts)} of ${needed} attempts` }
  return { ...orderOf(eligible, arms, shares === null ? null : drawnIndexOf(shares, drawn as number)), trace }
}

const noAttempts: Arm = { attempts: 0, approved: 0 }
const thousands = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
const needed = thousands(neededAttempts)

function figuresOf({ settings, ruleName, snapshot }: AdaptiveOrderInput, segment: string) {
  const figures = snapshot?.rules.get(ruleName)
  return figures?.settings === settingsKey(settings) ? figures.segments.get(segment) : undefined
}

function accountTraces(eligible: readonly string[], arms: readonly Arm[], shares: readonly number[] | null) {
  const scores = scoresOf(arms)
  return eligible.map((id, index): AccountTrace => {
    const { attempts, approved } = arms[index] as Arm
    const score = Math.round((scores[index] as number) * 10_000) / 10_000
    const probability = shares === null ? null : (shares[index] as number) / bucketCount
    return { provider_account_id: id, attempts, approved, score, probability }
  })
}

/**
 * The drawn account, then the leader, then the others in their order: after an exploration the best account
 * is next.
 */
function orderOf(eligible: readonly string[], arms: readonly Arm[], drawnIndex: number | null) {
  if (arms.length === 0) return { order: eligible, explanation: 'no eligible account' }
  const leader = eligible[leaderIndexOf(arms)] as string
  const first = drawnIndex === null ? leader : (eligible[drawnIndex] as string)
  const explanation = first === leader ? 'best approval rate' : 'exploration'
  const others = eligible.filter((id) => id !== first && id !== leader)
  return { order: first === leader ? [first, ...others] : [first, leader, ...others], explanation }
}
