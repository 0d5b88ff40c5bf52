/** Figures of the reports as Home shows them. Amounts of two currencies are never added. Pure. */

import type { PaymentFigures } from '@switchyard/sdk'
import { dayMs } from '../../format/time.ts'

export type Span = { readonly from: string; readonly to: string }

/** Today from midnight of whoever looks until now, and the same weekday a week before, until the same time. */
export function todayAndBefore(now: Date): { readonly today: Span; readonly before: Span } {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const weekAgo = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 7)
  const elapsedMs = now.getTime() - midnight.getTime()
  return {
    today: { from: midnight.toISOString(), to: now.toISOString() },
    before: { from: weekAgo.toISOString(), to: new Date(weekAgo.getTime() + elapsedMs).toISOString() },
  }
}

export type Sum = {
  readonly currency: string
  readonly succeeded: number
  readonly volume: number
  readonly refunded: number
  readonly recovered: number
  readonly recoveredVolume: number
  readonly attempts: number
  readonly approved: number
}

/** One for each currency, the one with the most payments first. */
export function sumsOf(figures: readonly PaymentFigures[]): readonly Sum[] {
  const groups = Map.groupBy(figures, ({ currency }) => currency)
  return [...groups]
    .map(([currency, same]) => {
      const sum = (pick: (one: PaymentFigures) => number) => same.reduce((all, one) => all + pick(one), 0)
      return {
        currency,
        succeeded: sum((one) => one.succeeded),
        volume: sum((one) => one.volume),
        refunded: sum((one) => one.refunded),
        recovered: sum((one) => one.recovered),
        recoveredVolume: sum((one) => one.recovered_volume),
        attempts: sum((one) => one.attempts),
        approved: sum((one) => one.approved),
      }
    })
    .toSorted((one, other) => other.attempts - one.attempts)
}

/** "93.2 %", or a dash if nobody was asked. Rounded down: 100 % means every one. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.floor((part / whole) * 1_000) / 10} %`
}

/** How much more or less than before; null if there was nothing to compare with. */
export function changeText(now: number, before: number): string | null {
  if (before === 0) return null
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'the same'
  return percent > 0 ? `${percent} % more` : `${-percent} % less`
}

export type ProviderDay = {
  readonly accountId: string
  readonly attempts: number
  readonly approved: number
  /** The share of each hour that was not approved; null: no attempts. */
  readonly hours: readonly { readonly startMs: number; readonly share: number | null }[]
}

const hourMs = 3_600_000

/** The last 24 hours of each account, the busiest first. Counts may be added across currencies. */
export function providersOf(figures: readonly PaymentFigures[], nowMs: number): readonly ProviderDay[] {
  const firstMs = Math.floor((nowMs - dayMs) / hourMs) * hourMs + hourMs
  const groups = Map.groupBy(figures, ({ group }) => group)
  return [...groups]
    .flatMap(([accountId, same]) => (accountId === null ? [] : [dayOf(accountId, same, firstMs)]))
    .filter(({ attempts }) => attempts > 0)
    .toSorted((one, other) => other.attempts - one.attempts)
}

function dayOf(accountId: string, figures: readonly PaymentFigures[], firstMs: number): ProviderDay {
  const count = (of: readonly PaymentFigures[], pick: (one: PaymentFigures) => number) =>
    of.reduce((all, one) => all + pick(one), 0)
  const hours = Array.from({ length: 24 }, (_, place) => {
    const startMs = firstMs + place * hourMs
    const within = figures.filter(({ start }) => Date.parse(start) === startMs)
    const asked = count(within, ({ attempts }) => attempts)
    const share = asked === 0 ? null : 1 - count(within, ({ approved }) => approved) / asked
    return { startMs, share }
  })
  return {
    accountId,
    attempts: count(figures, ({ attempts }) => attempts),
    approved: count(figures, ({ approved }) => approved),
    hours,
  }
}

export type Reason = { readonly reason: string; readonly failed: number }

/** Why payments failed, the most frequent reason first. */
export function reasonsOf(figures: readonly PaymentFigures[]): readonly Reason[] {
  const groups = Map.groupBy(figures, ({ group }) => group)
  return [...groups]
    .flatMap(([reason, same]) =>
      reason === null ? [] : [{ reason, failed: same.reduce((all, { failed }) => all + failed, 0) }],
    )
    .filter(({ failed }) => failed > 0)
    .toSorted((one, other) => other.failed - one.failed)
}
