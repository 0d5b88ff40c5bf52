/** Decides whether a card may be tried again, and if not, when it may. Pure functions. */
import type { AttemptTraits, NetworkRule } from './network-rules.ts'
import { rulesFor } from './network-rules.ts'

export type PastAttempt = {
  /** `open`: in progress. It may still be declined, so it counts. */
  readonly result: 'open' | 'approved' | 'declined'
  readonly adviceCode: string | null
  readonly startedAt: Date
  /** Null while it is open. */
  readonly endedAt: Date | null
}

/** A block of the card by a network rule for any amount, until a time or forever. */
export type Block = { readonly rule: string; readonly until: Date | null }

export type History = {
  readonly block: Block | null
  /** Attempts with the same card, amount and currency, newest first. */
  readonly sameAmount: readonly PastAttempt[]
  /** Attempts with the same card, newest first. */
  readonly anyAmount: readonly PastAttempt[]
}

export type BudgetDecision =
  | { readonly ok: true }
  /** `until` is null if the card must never be tried again. */
  | { readonly ok: false; readonly rule: string; readonly until: Date | null }

export function checkBudget(
  rules: readonly NetworkRule[],
  history: History,
  traits: AttemptTraits,
  now: Date,
): BudgetDecision {
  const series = sinceApproval(history.sameAmount)
  const blocks = rulesFor(rules, traits, now).flatMap((rule) => {
    const until = allowedAgainAt(rule, rule.scope === 'card' ? history.anyAmount : series)
    return until !== null && until > now ? [{ rule: rule.id, until }] : []
  })
  const { block } = history
  const storedBlocks: readonly Block[] =
    block !== null && (block.until === null || block.until > now) ? [block] : []
  const longest = [...storedBlocks, ...blocks].reduce<Block | null>(longerBlock, null)
  return longest === null ? { ok: true } : { ok: false, ...longest }
}

/**
 * The attempts after the latest approval, including an attempt that was in progress at the approval and was
 * declined afterwards. If several attempts end at the same instant, as on a test clock, their order is used.
 */
function sinceApproval(attempts: readonly PastAttempt[]): readonly PastAttempt[] {
  const approvals = attempts
    .filter(({ result }) => result === 'approved')
    .map(({ endedAt }) => timeOf(endedAt))
  const lastApprovalMs = Math.max(Number.NEGATIVE_INFINITY, ...approvals)
  const approvalIndex = attempts.findIndex(
    ({ result, endedAt }) => result === 'approved' && timeOf(endedAt) === lastApprovalMs,
  )
  const isAfter = ({ endedAt }: PastAttempt, index: number) =>
    timeOf(endedAt) > lastApprovalMs || (timeOf(endedAt) === lastApprovalMs && index < approvalIndex)
  return attempts.filter(
    (attempt, index) =>
      attempt.result === 'open' || (attempt.result === 'declined' && isAfter(attempt, index)),
  )
}

const timeOf = (at: Date | null) => at?.getTime() ?? Number.POSITIVE_INFINITY

/** When the rule allows another attempt, given these attempts; null if it already does. */
function allowedAgainAt(
  { match, limit, windowHours, scope }: NetworkRule,
  attempts: readonly PastAttempt[],
): Date | null {
  const counted = attempts.filter(({ result }) => result !== 'approved')
  if (match === 'attempts') {
    const newestFirst = counted.map(({ startedAt }) => startedAt.getTime()).toSorted((a, b) => b - a)
    // Once this attempt leaves the window, the window contains fewer than `limit` attempts.
    return addHours(newestFirst[limit - 1], windowHours)
  }
  // Advice about the whole card is stored as a block when the decline is recorded.
  if (scope === 'card' || !('advice' in match)) return null
  const advised = counted.filter(({ adviceCode }) => adviceCode !== null && match.advice.includes(adviceCode))
  const latest = advised
    .map(({ endedAt, startedAt }) => (endedAt ?? startedAt).getTime())
    .toSorted((a, b) => b - a)[limit]
  return addHours(latest, windowHours)
}

function addHours(atMs: number | undefined, windowHours: number | null): Date | null {
  return atMs === undefined || windowHours === null ? null : new Date(atMs + windowHours * 3_600_000)
}

export type DeclineCodes = { readonly networkCode: string | null; readonly adviceCode: string | null }

/** The block that a decline causes for the card, with any amount; null if it causes none. */
export function blockAfter(
  rules: readonly NetworkRule[],
  traits: AttemptTraits,
  codes: DeclineCodes,
  now: Date,
): Block | null {
  const blocks = rulesFor(rules, traits, now)
    .filter((rule) => rule.scope === 'card' && matches(rule, codes))
    .map(({ id, windowHours }): Block => ({ rule: id, until: addHours(now.getTime(), windowHours) }))
  return blocks.reduce<Block | null>(longerBlock, null)
}

function matches({ match }: NetworkRule, { networkCode, adviceCode }: DeclineCodes): boolean {
  if (match === 'attempts') return false
  if ('codes' in match) return networkCode !== null && match.codes.includes(networkCode)
  return adviceCode !== null && match.advice.includes(adviceCode)
}

export function longerBlock(a: Block | null, b: Block): Block {
  return a !== null && (a.until === null || (b.until !== null && b.until <= a.until)) ? a : b
}
