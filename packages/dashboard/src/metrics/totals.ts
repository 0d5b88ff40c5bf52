/** Totals of the payment reports. Amounts in different currencies are never added. No side effects. */

import type { PaymentFigures } from '@switchyard/sdk'
import { dayMs } from '../format/time.ts'
import { rateOf } from './rates.ts'

export type TimeRange = { readonly from: string; readonly to: string }

/** Today from local midnight until now, and the same weekday a week earlier until the same time. */
export function todayAndLastWeek(now: Date): { readonly today: TimeRange; readonly lastWeek: TimeRange } {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const weekAgo = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 7)
  const elapsedMs = now.getTime() - midnight.getTime()
  return {
    today: { from: midnight.toISOString(), to: now.toISOString() },
    lastWeek: { from: weekAgo.toISOString(), to: new Date(weekAgo.getTime() + elapsedMs).toISOString() },
  }
}

export type CurrencyTotal = {
  readonly currency: string
  readonly succeeded: number
  readonly volume: number
  readonly refunded: number
  readonly recovered: number
  readonly recoveredVolume: number
  readonly attempts: number
  readonly approved: number
}

/** One total per currency, the one with the most attempts first. */
export function totalsByCurrency(figures: readonly PaymentFigures[]): readonly CurrencyTotal[] {
  const groups = Map.groupBy(figures, ({ currency }) => currency)
  return [...groups]
    .map(([currency, members]) => {
      const sum = (pick: (one: PaymentFigures) => number) => members.reduce((all, one) => all + pick(one), 0)
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

/** The relative change; null if there is nothing to compare with. */
export function changeText(now: number, before: number): string | null {
  if (before === 0) return null
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'no change'
  return percent > 0 ? `${percent}% more` : `${-percent}% less`
}

export type ProviderDay = {
  readonly accountId: string
  readonly attempts: number
  readonly approved: number
  /** The approval rate of each hour; null: no attempts. */
  readonly hours: readonly { readonly startMs: number; readonly approval: number | null }[]
}

const hourMs = 3_600_000

/** The last 24 hours of each account, the busiest first. Counts may be added across currencies. */
export function providersOf(figures: readonly PaymentFigures[], nowMs: number): readonly ProviderDay[] {
  const firstMs = firstHourOf(nowMs)
  const groups = Map.groupBy(figures, ({ group }) => group)
  return [...groups]
    .flatMap(([accountId, members]) => (accountId === null ? [] : [dayOf(accountId, members, firstMs)]))
    .filter(({ attempts }) => attempts > 0)
    .toSorted((one, other) => other.attempts - one.attempts)
}

/** The last 24 hours of one account, even without attempts. */
export function providerDayOf(
  figures: readonly PaymentFigures[],
  accountId: string,
  nowMs: number,
): ProviderDay {
  const active = providersOf(figures, nowMs).find((day) => day.accountId === accountId)
  return active ?? dayOf(accountId, [], firstHourOf(nowMs))
}

/** Attempts and approvals of one account over the whole report. */
export function approvalOf(
  figures: readonly PaymentFigures[],
  accountId: string,
): { readonly attempts: number; readonly approved: number } {
  const accountFigures = figures.filter(({ group }) => group === accountId)
  const sum = (pick: (one: PaymentFigures) => number) =>
    accountFigures.reduce((all, one) => all + pick(one), 0)
  return { attempts: sum((one) => one.attempts), approved: sum((one) => one.approved) }
}

function firstHourOf(nowMs: number): number {
  return Math.floor((nowMs - dayMs) / hourMs) * hourMs + hourMs
}

function dayOf(accountId: string, figures: readonly PaymentFigures[], firstMs: number): ProviderDay {
  const count = (rows: readonly PaymentFigures[], pick: (one: PaymentFigures) => number) =>
    rows.reduce((all, one) => all + pick(one), 0)
  const hours = Array.from({ length: 24 }, (_, index) => {
    const startMs = firstMs + index * hourMs
    const within = figures.filter(({ start }) => Date.parse(start) === startMs)
    const approved = count(within, (one) => one.approved)
    return {
      startMs,
      approval: rateOf(
        approved,
        count(within, ({ attempts }) => attempts),
      ),
    }
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
    .flatMap(([reason, members]) =>
      reason === null ? [] : [{ reason, failed: members.reduce((all, { failed }) => all + failed, 0) }],
    )
    .filter(({ failed }) => failed > 0)
    .toSorted((one, other) => other.failed - one.failed)
}
