/**
 * What subscriptions and dunning campaigns are counted as. What was counted before stands beside what is to be counted
 * now, and the difference is added: looking once more changes nothing. Pure.
 */
import { mulDiv } from '../../kernel/money.ts'

export type ShareKind = 'subscription' | 'dunning_campaign'
export type Share = {
  readonly kind: ShareKind
  readonly uuid: string
  readonly status: string
  readonly currency: string
  /** Of a subscription what it brings in a month, of a campaign what its invoice comes to. */
  readonly amount: bigint
}

export type CountedSubscription = {
  readonly uuid: string
  readonly status: string
  readonly currency: string
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly intervalCount: number
  readonly items: readonly { readonly quantity: number; readonly unitAmountDecimal: string }[]
}

/** How many months an interval is, as a fraction: a year has 12 months, 52 weeks, 365 days. */
const perMonth = { day: [365n, 12n], week: [52n, 12n], month: [1n, 1n], year: [1n, 12n] } as const
const scale = 12

/** Of an active one. One that is paused, or in its trial, brings nothing yet. */
export function shareOfSubscription(subscription: CountedSubscription): Share {
  const { uuid, status, currency } = subscription
  const amount = status === 'active' ? monthlyAmount(subscription) : 0n
  return { kind: 'subscription', uuid, status, currency, amount }
}

/** Exact up to here, and rounded once: half a minor unit goes away from zero. */
export function monthlyAmount({ interval, intervalCount, items }: CountedSubscription): bigint {
  const whole = items.reduce((sum, item) => sum + BigInt(item.quantity) * scaled(item.unitAmountDecimal), 0n)
  const [times, by] = perMonth[interval]
  return mulDiv(whole, times, by * BigInt(intervalCount) * 10n ** BigInt(scale))
}

function scaled(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

export type TotalKey = Pick<Share, 'kind' | 'status' | 'currency'>
export type Total = TotalKey & { readonly objects: bigint; readonly amount: bigint }

/** What changed in a currency. */
export type Change = {
  readonly currency: string
  readonly mrrChange: bigint
  readonly activeChange: bigint
  readonly recovered: bigint
  readonly recoveredAmount: bigint
}
export type DayChange = Change & { readonly dayOn: string }

export type Step = { readonly before: Share | null; readonly after: Share }

/** What the totals change by. Steps that change nothing are in none of it. */
export function totalsOf(steps: readonly Step[]): readonly Total[] {
  const all = steps.flatMap(({ before, after }) => [
    ...(before === null ? [] : [{ ...before, objects: -1n, amount: -before.amount }]),
    { ...after, objects: 1n },
  ])
  return sumTotals(all).filter(({ objects, amount }) => objects !== 0n || amount !== 0n)
}

export function sumTotals(totals: readonly Total[]): readonly Total[] {
  const same = Map.groupBy(totals, ({ kind, status, currency }) => [kind, status, currency].join(' '))
  return [...same.values()].map((group) => {
    const { kind, status, currency } = group[0] as Total
    const sum = (pick: (total: Total) => bigint) => group.reduce((all, one) => all + pick(one), 0n)
    return { kind, status, currency, objects: sum((one) => one.objects), amount: sum((one) => one.amount) }
  })
}

export function changeOf({ before, after }: Step): Change {
  const { currency } = after
  const no = { currency, mrrChange: 0n, activeChange: 0n, recovered: 0n, recoveredAmount: 0n }
  if (after.kind === 'subscription') {
    const isActive = (share: Share | null) => (share?.status === 'active' ? 1n : 0n)
    const mrrChange = after.amount - (before?.amount ?? 0n)
    return { ...no, mrrChange, activeChange: isActive(after) - isActive(before) }
  }
  if (after.status !== 'recovered' || before?.status === 'recovered') return no
  return { ...no, recovered: 1n, recoveredAmount: after.amount }
}

/** By the day on which it was told, UTC. */
export function dayChangesOf(steps: readonly (Step & { readonly at: Date | null })[]): readonly DayChange[] {
  const dated = steps.flatMap(({ at, ...step }) =>
    // Subscriptions that were there before anybody counted changed on no day.
    at === null ? [] : [{ dayOn: at.toISOString().slice(0, 10), ...changeOf(step) }],
  )
  return sumDays(dated).filter((one) => one.mrrChange || one.activeChange || one.recovered)
}

export function sumDays(days: readonly DayChange[]): readonly DayChange[] {
  const same = Map.groupBy(days, ({ dayOn, currency }) => `${dayOn} ${currency}`)
  return [...same.values()].map((group) => {
    const { dayOn, currency } = group[0] as DayChange
    const sum = (pick: (change: Change) => bigint) => group.reduce((all, one) => all + pick(one), 0n)
    return {
      ...{ dayOn, currency },
      ...{ mrrChange: sum((one) => one.mrrChange), activeChange: sum((one) => one.activeChange) },
      ...{ recovered: sum((one) => one.recovered), recoveredAmount: sum((one) => one.recoveredAmount) },
    }
  })
}
