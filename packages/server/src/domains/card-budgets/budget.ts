/** Whether a card may be tried once more, and if not, when it may. Pure: rules and history in, a verdict out. */
import type { NetworkRule, Tried } from './network-rules.ts'
import { rulesFor } from './network-rules.ts'

export type Earlier = {
  /** `open`: nothing is known yet. It may be declined, so it counts. */
  readonly result: 'open' | 'approved' | 'declined'
  readonly adviceCode: string | null
  readonly at: Date
  /** Null while it is open. */
  readonly endedAt: Date | null
}

/** What a network said to be kept to whatever the amount, until a time or for ever. */
export type Bar = { readonly rule: string; readonly until: Date | null }

export type History = {
  readonly bar: Bar | null
  /** Of the same card, amount and currency; and of the same card. The newest of each will do, in any order. */
  readonly sameAmount: readonly Earlier[]
  readonly anyAmount: readonly Earlier[]
}

export type Verdict =
  | { readonly ok: true }
  /** Null: never again. */
  | { readonly ok: false; readonly rule: string; readonly until: Date | null }

export function budgetFor(rules: readonly NetworkRule[], history: History, tried: Tried, now: Date): Verdict {
  const series = sinceApproval(history.sameAmount)
  const bars = rulesFor(rules, tried, now).flatMap((rule) => {
    const until = endOf(rule, rule.scope === 'card' ? history.anyAmount : series)
    return until !== null && until > now ? [{ rule: rule.id, until }] : []
  })
  const { bar } = history
  const known: readonly Bar[] = bar !== null && (bar.until === null || bar.until > now) ? [bar] : []
  const longest = [...known, ...bars].reduce<Bar | null>(longer, null)
  return longest === null ? { ok: true } : { ok: false, ...longest }
}

/** An approval ends the count. What was under way meanwhile and was declined after it begins the next. */
function sinceApproval(attempts: readonly Earlier[]): readonly Earlier[] {
  const approvals = attempts
    .filter(({ result }) => result === 'approved')
    .map(({ endedAt }) => timeOf(endedAt))
  const last = Math.max(Number.NEGATIVE_INFINITY, ...approvals)
  return attempts.filter(
    ({ result, endedAt }) => result === 'open' || (result === 'declined' && timeOf(endedAt) > last),
  )
}

const timeOf = (at: Date | null) => at?.getTime() ?? Number.POSITIVE_INFINITY

/** When the rule allows one more, as far as these attempts are concerned; null: it does already. */
function endOf({ match, limit, windowHours, scope }: NetworkRule, attempts: readonly Earlier[]): Date | null {
  const counted = attempts.filter(({ result }) => result !== 'approved')
  if (match === 'attempts') {
    const newestFirst = counted.map(({ at }) => at.getTime()).toSorted((a, b) => b - a)
    // As soon as this one is out of the window, there are fewer than `limit` in it.
    return after(newestFirst[limit - 1], windowHours)
  }
  // What is said about a card is written down as a bar when it is heard.
  if (scope === 'card' || !('advice' in match)) return null
  const said = counted.filter(({ adviceCode }) => adviceCode !== null && match.advice.includes(adviceCode))
  const latest = said.map(({ endedAt, at }) => (endedAt ?? at).getTime()).toSorted((a, b) => b - a)[limit]
  return after(latest, windowHours)
}

function after(atMs: number | undefined, windowHours: number | null): Date | null {
  return atMs === undefined || windowHours === null ? null : new Date(atMs + windowHours * 3_600_000)
}

export type Said = { readonly networkCode: string | null; readonly adviceCode: string | null }

/** What a decline bars the card from, whatever the amount; null: nothing. */
export function barAfter(rules: readonly NetworkRule[], tried: Tried, said: Said, now: Date): Bar | null {
  const bars = rulesFor(rules, tried, now)
    .filter((rule) => rule.scope === 'card' && matches(rule, said))
    .map(({ id, windowHours }): Bar => ({ rule: id, until: after(now.getTime(), windowHours) }))
  return bars.reduce<Bar | null>(longer, null)
}

function matches({ match }: NetworkRule, { networkCode, adviceCode }: Said): boolean {
  if (match === 'attempts') return false
  if ('codes' in match) return networkCode !== null && match.codes.includes(networkCode)
  return adviceCode !== null && match.advice.includes(adviceCode)
}

export function longer(a: Bar | null, b: Bar): Bar {
  return a !== null && (a.until === null || (b.until !== null && b.until <= a.until)) ? a : b
}
