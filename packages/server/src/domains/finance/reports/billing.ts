/**
 * The contributions of subscriptions and dunning campaigns to the totals. The last contribution of each object is
 * stored, and only the difference is added to the totals, so that counting the same state twice changes nothing. No
 * side effects.
 */
import { mulDiv } from '../../../kernel/money.ts'
import { amountScale, type PriceFactors, scaledAmountFor } from '../../../kernel/price-schemes.ts'

export type ContributionKind = 'subscription' | 'dunning_campaign'
export type Contribution = {
  readonly kind: ContributionKind
  readonly uuid: string
  readonly status: string
  readonly currency: string
  /** The monthly amount of a subscription, or the amount of the invoice of a campaign. */
  readonly amount: bigint
}

export type CountedSubscription = {
  readonly uuid: string
  readonly status: string
  readonly currency: string
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly intervalCount: number
  readonly items: readonly (PriceFactors & { readonly quantity: number })[]
}

/** How often an interval occurs per month, as a fraction: a year has 12 months, 52 weeks or 365 days. */
const perMonth = { day: [365n, 12n], week: [52n, 12n], month: [1n, 1n], year: [1n, 12n] } as const

/** Only active subscriptions contribute an amount, not paused ones or those in a trial. */
export function subscriptionContribution(subscription: CountedSubscription): Contribution {
  const { uuid, status, currency } = subscription
  const amount = status === 'active' ? monthlyAmount(subscription) : 0n
  return { kind: 'subscription', uuid, status, currency, amount }
}

/** Rounded once, at the end: half a minor unit is rounded away from zero. */
export function monthlyAmount({ interval, intervalCount, items }: CountedSubscription): bigint {
  const total = items.reduce((sum, item) => sum + scaledAmountFor(item, item.quantity), 0n)
  const [numerator, denominator] = perMonth[interval]
  return mulDiv(total, numerator, denominator * BigInt(intervalCount) * amountScale)
}

export type TotalKey = Pick<Contribution, 'kind' | 'status' | 'currency'>
export type Total = TotalKey & { readonly objects: bigint; readonly amount: bigint }

/** Changes to the figures of one currency. */
export type CurrencyChange = {
  readonly currency: string
  readonly mrrChange: bigint
  readonly activeChange: bigint
  readonly recovered: bigint
  readonly recoveredAmount: bigint
}
export type DayChange = CurrencyChange & { readonly dayOn: string }

export type ContributionChange = { readonly before: Contribution | null; readonly after: Contribution }

/** The changes to the totals. Changes that cancel each other out are omitted. */
export function totalChanges(changes: readonly ContributionChange[]): readonly Total[] {
  const all = changes.flatMap(({ before, after }) => [
    ...(before === null ? [] : [{ ...before, objects: -1n, amount: -before.amount }]),
    { ...after, objects: 1n },
  ])
  return sumTotals(all).filter(({ objects, amount }) => objects !== 0n || amount !== 0n)
}

export function sumTotals(totals: readonly Total[]): readonly Total[] {
  const groups = Map.groupBy(totals, ({ kind, status, currency }) => [kind, status, currency].join(' '))
  return [...groups.values()].map((group) => {
    const { kind, status, currency } = group[0] as Total
    const sum = (pick: (total: Total) => bigint) => group.reduce((sum, entry) => sum + pick(entry), 0n)
    return { kind, status, currency, objects: sum((one) => one.objects), amount: sum((one) => one.amount) }
  })
}

export function currencyChange({ before, after }: ContributionChange): CurrencyChange {
  const { currency } = after
  const noChange = { currency, mrrChange: 0n, activeChange: 0n, recovered: 0n, recoveredAmount: 0n }
  if (after.kind === 'subscription') {
    const isActive = (contribution: Contribution | null) => (contribution?.status === 'active' ? 1n : 0n)
    const mrrChange = after.amount - (before?.amount ?? 0n)
    return { ...noChange, mrrChange, activeChange: isActive(after) - isActive(before) }
  }
  if (after.status !== 'recovered' || before?.status === 'recovered') return noChange
  return { ...noChange, recovered: 1n, recoveredAmount: after.amount }
}

/** The changes by currency and UTC day of the event. */
export function changesByDay(
  changes: readonly (ContributionChange & { readonly at: Date | null })[],
): readonly DayChange[] {
  const dated = changes.flatMap(({ at, ...change }) =>
    // Subscriptions that are older than the report data have no day of change.
    at === null ? [] : [{ dayOn: at.toISOString().slice(0, 10), ...currencyChange(change) }],
  )
  return sumByDay(dated).filter((day) => day.mrrChange || day.activeChange || day.recovered)
}

export function sumByDay(days: readonly DayChange[]): readonly DayChange[] {
  const groups = Map.groupBy(days, ({ dayOn, currency }) => `${dayOn} ${currency}`)
  return [...groups.values()].map((group) => {
    const { dayOn, currency } = group[0] as DayChange
    const sum = (pick: (change: CurrencyChange) => bigint) =>
      group.reduce((sum, entry) => sum + pick(entry), 0n)
    return {
      dayOn,
      currency,
      mrrChange: sum((one) => one.mrrChange),
      activeChange: sum((one) => one.activeChange),
      recovered: sum((one) => one.recovered),
      recoveredAmount: sum((one) => one.recoveredAmount),
    }
  })
}
