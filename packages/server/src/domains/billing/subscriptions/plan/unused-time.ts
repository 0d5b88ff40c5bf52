/** Plans what happens to unused time when a subscription stops before the end of its trial or period. */
import { secondsBetween } from '../../../../kernel/calendar.ts'
import type { LineDraft } from '../../../../kernel/invoice-lines.ts'
import { smallerOf } from '../../../../kernel/money.ts'
import { isInTrial, type Subscription } from '../subscription.ts'
import { draftOf } from './period.ts'
import {
  grossOf,
  isPaidOrPayable,
  pausedRemainingTime,
  type RemainingTime,
  remainingTimeOf,
  unusedLines,
  unusedValue,
} from './proration.ts'
import type { MoneyFacts, Plan, PlanContext, ReleasedTime, Snapshot } from './snapshot.ts'

export type UnusedTimePlan = Pick<Plan, 'invoices' | 'releases' | 'refund' | 'returns'> & {
  readonly keptSeconds: number
}

type UnusedTimeOptions = {
  readonly unusedTime: 'keep' | 'credit' | 'refund' | 'forfeit'
  /** Invoices that are voided: their time is not kept. */
  readonly voids: Plan['voids']
  readonly reason: 'change' | 'cancel'
}

const noUnusedTime: UnusedTimePlan = { invoices: [], releases: [], refund: null, returns: [], keptSeconds: 0 }

export function planUnusedTime(
  snapshot: Snapshot,
  context: PlanContext,
  options: UnusedTimeOptions,
): UnusedTimePlan {
  const { subscription, money } = snapshot
  if (isInTrial(subscription))
    return { ...noUnusedTime, keptSeconds: keptTrialSeconds(subscription, context.at, options) }
  const { currentPeriod } = subscription
  // Nothing was billed, or the outcome of the payment is not known yet.
  if (currentPeriod === null || money.current === null) return noUnusedTime
  const remainingTime = remainingPeriodTime(subscription, context.at)
  const { invoiceId } = currentPeriod
  const release = (as: ReleasedTime['as']) =>
    remainingTime.seconds === 0 ? [] : [{ invoiceId, seconds: remainingTime.seconds, as }]
  if (options.unusedTime === 'keep' && isPaidOrPayable(money) && !options.voids.includes(invoiceId))
    return { ...noUnusedTime, keptSeconds: remainingTime.seconds, releases: release('kept') }

  if (options.unusedTime === 'keep' || options.unusedTime === 'forfeit')
    return { ...noUnusedTime, releases: release('forfeited') }
  const { lines, returns } = returnedLines(snapshot, context, remainingTime, {
    ...options,
    as: options.unusedTime,
  })
  if (lines.length === 0) return { ...noUnusedTime, returns, releases: release('forfeited') }
  if (options.unusedTime === 'refund')
    return {
      ...noUnusedTime,
      returns,
      refund: { invoiceId, amount: -grossOf(subscription.currency, lines) },
      releases: release('refunded'),
    }
  const changeId = lines[0]?.explanation.changeId ?? null
  // The value becomes credit through an invoice with a negative total, which documents the calculation.
  const invoice = draftOf(subscription, context, {
    reason: options.reason,
    lines,
    changeId,
    collect: 'never',
  })
  return { ...noUnusedTime, returns, invoices: [invoice], releases: release('credited') }
}

function keptTrialSeconds(
  { trial, pause }: Subscription,
  at: Date,
  { unusedTime }: UnusedTimeOptions,
): number {
  if (trial === null || unusedTime !== 'keep') return 0
  return pause?.remainingSeconds ?? Math.max(0, secondsBetween(at, trial.endAt))
}

/** The remaining time of the period, whether or not the subscription is paused. */
function remainingPeriodTime({ currentPeriod, pause }: Subscription, at: Date): RemainingTime {
  const period = currentPeriod as NonNullable<typeof currentPeriod>
  return pause === null
    ? remainingTimeOf(period, at)
    : pausedRemainingTime(period, pause.remainingSeconds, at)
}

type ReturnedLines = { readonly lines: readonly LineDraft[]; readonly returns: Plan['returns'] }

/**
 * The amounts to return for unused time: the paid part now, and the unpaid part once its invoice is paid,
 * because a payment may be in progress.
 */
function returnedLines(
  { subscription, money }: Snapshot,
  { ids }: PlanContext,
  remainingTime: RemainingTime,
  { as, voids }: Pick<UnusedTimeOptions, 'voids'> & Pick<Plan['returns'][number], 'as'>,
): ReturnedLines {
  if (remainingTime.seconds === 0) return { lines: [], returns: [] }
  const { currency, items, discounts } = subscription
  const terms = { currency, items, discounts, changeId: ids.change(), tax: money.tax }
  const lines = unusedLines(terms, remainingTime, as === 'credit' ? creditableOf(money) : money.paidForPeriod)
  let remainingValue = unusedValue(terms, remainingTime) + grossOf(currency, lines)
  const returns: Plan['returns'][number][] = []
  for (const { id: invoiceId, total } of money.unpaidForPeriod) {
    const coversAll = total > remainingValue
    const amount = coversAll ? remainingValue : total
    if (amount <= 0n || voids.includes(invoiceId)) continue
    returns.push({ invoiceId, amount, as })
    remainingValue -= amount
  }
  return { lines, returns }
}

/**
 * Credit is limited here to the amount that was not returned yet. Refunds need no limit here: a refund
 * excludes amounts that are disputed when it starts, and is flagged for review.
 */
function creditableOf({ paidForPeriod, creditLimit }: MoneyFacts): bigint {
  return creditLimit === null ? paidForPeriod : smallerOf(creditLimit, paidForPeriod)
}
