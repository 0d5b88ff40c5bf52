/**
 * The value of the rest of a period. The old amount comes back and the new one is charged, both for the same
 * seconds and each rounded once: what was used is what is left of the whole, never rounded on its own, so
 * changes of one instant cancel out to the last unit.
 */
import { secondsBetween } from '../../../kernel/calendar.ts'
import type { Id } from '../../../kernel/id.ts'
import { draftLine, type LineDraft, totalOf } from '../../../kernel/invoice-lines.ts'
import { allocate, money as moneyOf } from '../../../kernel/money.ts'
import type { CurrentPeriod, Item, Subscription } from '../subscription.ts'
import { billed, lengthOf } from './period.ts'
import type { MoneyFacts } from './scene.ts'

/** So many seconds of a period, from that instant on. */
export type Rest = {
  readonly seconds: number
  readonly ofSeconds: number
  readonly service: { readonly startAt: Date; readonly endAt: Date }
}

export function restOf(period: CurrentPeriod, at: Date): Rest {
  const seconds = Math.max(0, secondsBetween(at, period.endAt))
  return { seconds, ofSeconds: lengthOf(period), service: { startAt: at, endAt: period.endAt } }
}

/** What is left of a period whose clock stands still. */
export function keptRest(period: CurrentPeriod, remainingSeconds: number, at: Date): Rest {
  const endAt = new Date(at.getTime() + remainingSeconds * 1000)
  return { seconds: remainingSeconds, ofSeconds: lengthOf(period), service: { startAt: at, endAt } }
}

type Change = { readonly from: readonly Item[]; readonly to: readonly Item[] }
type Terms = Pick<Subscription, 'currency'> & { readonly changeId: Id<'subscription_change'> }

/** A pair for each item that is another now. What was never owed does not come back. */
export function changeLines(
  { currency, changeId }: Terms,
  { from, to }: Change,
  rest: Rest,
  isOwed: boolean,
): LineDraft[] {
  const line = (rule: 'unused' | 'remaining') => (item: Item) =>
    draftLine(currency, {
      ...{ rule, changeId, service: rest.service },
      ...{ numeratorSeconds: rest.seconds, denominatorSeconds: rest.ofSeconds },
      ...billed(item),
    })
  const gone = from.filter((item) => !to.some((other) => isSame(item, other)))
  const come = to.filter((item) => !from.some((other) => isSame(item, other)))
  return [...(isOwed ? gone.map(line('unused')) : []), ...come.map(line('remaining'))]
}

function isSame(a: Item, b: Item): boolean {
  return a.id === b.id && a.priceId === b.priceId && a.quantity === b.quantity
}

/** What is given back for the rest, no more than was paid for the period. */
export function unusedLines(
  { currency, changeId, items }: Terms & Pick<Subscription, 'items'>,
  rest: Rest,
  paid: bigint,
): LineDraft[] {
  const lines = changeLines({ currency, changeId }, { from: items, to: [] }, rest, true)
  const value = -totalOf(lines)
  if (value <= paid) return lines.filter(({ amount }) => amount !== 0n)
  if (paid <= 0n) return []
  const weights = lines.map(({ amount }) => -amount)
  return allocate(moneyOf(paid, currency), weights).flatMap(({ amount }, place) => {
    const { subscriptionItemId, priceId } = lines[place] as LineDraft
    if (amount === 0n) return []
    const whole = { numeratorSeconds: 1, denominatorSeconds: 1, quantity: 1 }
    return draftLine(currency, {
      ...{ rule: 'unused_paid', changeId, service: rest.service, ...whole },
      ...{ unitAmountDecimal: String(amount), subscriptionItemId, priceId },
    })
  })
}

/** Whether the invoice of the period was paid, or still may be. */
export function isOwed({ current }: MoneyFacts): boolean {
  return current !== null && current.status !== 'void' && current.status !== 'uncollectible'
}
