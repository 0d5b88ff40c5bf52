/**
 * Proration of the rest of a period. The old amount is credited and the new amount charged for the same
 * seconds, each rounded once. The used part is the full amount minus the credit and is never rounded
 * separately, so that changes at the same instant cancel out exactly.
 */
import { secondsBetween } from '../../../../kernel/calendar.ts'
import type { Id } from '../../../../kernel/id.ts'
import { draftLine, type LineDraft, totalOf } from '../../../../kernel/invoice-lines.ts'
import { allocate, money as moneyOf } from '../../../../kernel/money.ts'
import type { CurrentPeriod, Item, Subscription } from '../subscription.ts'
import { lengthOf, lineFieldsOf } from './period.ts'
import type { MoneyFacts } from './snapshot.ts'

/** The part of a period that remains at an instant. */
export type RemainingTime = {
  readonly seconds: number
  readonly periodSeconds: number
  readonly service: { readonly startAt: Date; readonly endAt: Date }
}

export function remainingTimeOf(period: CurrentPeriod, at: Date): RemainingTime {
  const seconds = Math.max(0, secondsBetween(at, period.endAt))
  return { seconds, periodSeconds: lengthOf(period), service: { startAt: at, endAt: period.endAt } }
}

/** The remaining time of a period while the subscription is paused. */
export function pausedRemainingTime(
  period: CurrentPeriod,
  remainingSeconds: number,
  at: Date,
): RemainingTime {
  const endAt = new Date(at.getTime() + remainingSeconds * 1000)
  return { seconds: remainingSeconds, periodSeconds: lengthOf(period), service: { startAt: at, endAt } }
}

type Change = { readonly from: readonly Item[]; readonly to: readonly Item[] }
type LineContext = Pick<Subscription, 'currency'> & { readonly changeId: Id<'subscription_change'> }

/** Lines for each changed item. With `creditsOldItems` false, the old items are not credited. */
export function changeLines(
  { currency, changeId }: LineContext,
  { from, to }: Change,
  remainingTime: RemainingTime,
  creditsOldItems: boolean,
): LineDraft[] {
  const line = (rule: 'unused' | 'remaining') => (item: Item) =>
    draftLine(currency, {
      rule,
      changeId,
      service: remainingTime.service,
      numeratorSeconds: remainingTime.seconds,
      denominatorSeconds: remainingTime.periodSeconds,
      ...lineFieldsOf(item),
    })
  const removed = from.filter((item) => !to.some((other) => isSame(item, other)))
  const added = to.filter((item) => !from.some((other) => isSame(item, other)))
  return [...(creditsOldItems ? removed.map(line('unused')) : []), ...added.map(line('remaining'))]
}

function isSame(a: Item, b: Item): boolean {
  return a.id === b.id && a.priceId === b.priceId && a.quantity === b.quantity
}

/** The value of the remaining time, whether or not it was paid. */
export function unusedValue(
  { items, ...context }: LineContext & Pick<Subscription, 'items'>,
  remainingTime: RemainingTime,
): bigint {
  return -totalOf(changeLines(context, { from: items, to: [] }, remainingTime, true))
}

/** Credit lines for the remaining time, limited to the amount that was paid for the period. */
export function unusedLines(
  { currency, changeId, items }: LineContext & Pick<Subscription, 'items'>,
  remainingTime: RemainingTime,
  paid: bigint,
): LineDraft[] {
  const lines = changeLines({ currency, changeId }, { from: items, to: [] }, remainingTime, true)
  const value = unusedValue({ currency, changeId, items }, remainingTime)
  if (value <= paid) return lines.filter(({ amount }) => amount !== 0n)
  if (paid <= 0n) return []
  const weights = lines.map(({ amount }) => -amount)
  return allocate(moneyOf(paid, currency), weights).flatMap(({ amount }, index) => {
    const { subscriptionItemId, priceId } = lines[index] as LineDraft
    if (amount === 0n) return []
    const wholeAmount = { numeratorSeconds: 1, denominatorSeconds: 1, quantity: 1 }
    return draftLine(currency, {
      rule: 'unused_paid',
      changeId,
      service: remainingTime.service,
      ...wholeAmount,
      unitAmountDecimal: String(amount),
      subscriptionItemId,
      priceId,
    })
  })
}

/** Whether the invoice of the period was paid, or still can be. */
export function isPaidOrPayable({ current }: MoneyFacts): boolean {
  return current !== null && current.status !== 'void' && current.status !== 'uncollectible'
}
