/**
 * Plans changes to items: the rest of the period is credited at the old price and charged at the new price.
 */
import type { Interval } from '../../../../kernel/calendar.ts'
import { discountsOfReplacement } from '../../../../kernel/discounts.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { amountsOfDraft, type LineDraft } from '../../../../kernel/invoice-lines.ts'
import { minimumCharge } from '../../../../kernel/money.ts'
import { type CurrentPeriod, isActivating, type Subscription, type UpdateOptions } from '../subscription.ts'
import { limitToPaid } from './credit-limit.ts'
import { discountedCycle, draftOf, newPeriod, type PeriodStart } from './period.ts'
import {
  changeLines,
  isPaidOrPayable,
  limitChange,
  pausedRemainingTime,
  type RemainingTime,
  remainingTimeOf,
} from './proration.ts'
import { emptyPlan, type Plan, type PlanContext, type Snapshot, withEvent } from './snapshot.ts'
import type { TaxFacts } from './tax.ts'

export const prorationBehaviours = ['invoice_now', 'next_invoice', 'none', 'next_period'] as const
export type ProrationBehaviour = (typeof prorationBehaviours)[number]
export type ImmediateProration = Exclude<ProrationBehaviour, 'next_period'>

/**
 * Changes items as of `context.at`. The subscription of the snapshot already contains all other changes.
 */
export function changeItems(
  snapshot: Snapshot,
  context: PlanContext,
  options: UpdateOptions,
  billing: ImmediateProration,
): Plan {
  const { subscription } = snapshot
  if (isActivating(subscription)) refuseWhileActivating(subscription)
  const { items, interval } = options
  const changed: Subscription = { ...subscription, items, interval }
  const remainingTime = remainingTimeAt(subscription, context.at)
  // No billed period to prorate: the next period is billed with the new items.
  if (remainingTime === null) return { ...emptyPlan, ...withEvent('updated', changed) }
  if (!isSameInterval(interval, subscription.interval))
    return changeInterval(snapshot, context, changed, { remainingTime, billing })
  const changeId = context.ids.change()
  const change = { from: subscription.items, to: items }
  const { currency, discounts } = subscription
  const terms = { currency, discounts, changeId, tax: snapshot.money.tax }
  const { money } = snapshot
  const wanted = billing === 'none' ? [] : changeLines(terms, change, remainingTime, isPaidOrPayable(money))
  const lines = limitChange(currency, wanted, money.creditLimit)
  const after = { ...changed, accountedAt: context.at }
  return { ...emptyPlan, ...billChange(snapshot, after, context, { lines, changeId, billing }) }
}

export function isSameInterval(a: Interval, b: Interval): boolean {
  return a.unit === b.unit && a.count === b.count
}

/**
 * The next period starts with different items, and possibly a different interval. The current period does not
 * change.
 */
export function changeAtBoundary(
  snapshot: Snapshot,
  context: PlanContext,
  { items, interval }: UpdateOptions,
): Plan {
  const { subscription } = snapshot
  const changed = { ...subscription, items, interval, scheduledChange: null, accountedAt: context.at }
  const keepsInterval = isSameInterval(interval, subscription.interval)
  const { currentPeriod } = subscription
  const anchor =
    keepsInterval || currentPeriod === null
      ? subscription.anchor
      : newPeriod(subscription, interval, currentPeriod.endAt).anchor
  return { ...emptyPlan, ...withEvent('updated', { ...changed, anchor }) }
}

function remainingTimeAt({ currentPeriod, pause }: Subscription, at: Date): RemainingTime | null {
  if (currentPeriod === null) return null
  return pause === null
    ? remainingTimeOf(currentPeriod, at)
    : pausedRemainingTime(currentPeriod, pause.remainingSeconds, at)
}

type ChangeBill = {
  readonly lines: readonly LineDraft[]
  readonly changeId: Id<'subscription_change'>
  readonly billing: ImmediateProration
}

/**
 * Bills the lines of a change. Amounts too small to charge become pending lines. A negative total becomes
 * credit, or reduces an unpaid invoice.
 */
function billChange(
  { money }: Snapshot,
  after: Subscription,
  context: PlanContext,
  { lines, changeId, billing }: ChangeBill,
): Pick<Plan, 'steps' | 'invoices' | 'pendingLines' | 'returns'> {
  const { currency } = after
  const charges = lines.filter(({ kind }) => kind !== 'proration_credit')
  const wanted = lines.filter(({ kind }) => kind === 'proration_credit')
  const { credits, reducesInvoiceId, returns } = limitToPaid({ currency, credits: wanted, charges }, money)
  const nonZeroLines = [...credits, ...charges].filter(({ amount }) => amount !== 0n)
  const { total } = amountsOfDraft({ currency, lines: nonZeroLines })
  const unbilled = { ...withEvent('updated', after), invoices: [], returns }
  if (nonZeroLines.length === 0) return { ...unbilled, pendingLines: [] }
  if (billing === 'next_invoice' || (total >= 0n && total < minimumCharge(currency)))
    return { ...unbilled, pendingLines: nonZeroLines }
  const invoice = draftOf(after, context, {
    reason: 'change',
    collect: 'now',
    lines: nonZeroLines,
    changeId,
    reducesInvoiceId: total < 0n ? reducesInvoiceId : null,
  })
  const latest = { ...after, latestInvoiceId: invoice.id }
  return { ...withEvent('updated', latest), invoices: [invoice], pendingLines: [], returns }
}

/**
 * Changes the interval: the rest of the old period is credited, and a full new period is billed from now on.
 */
function changeInterval(
  { subscription, money }: Snapshot,
  context: PlanContext,
  changed: Subscription,
  { remainingTime, billing }: { readonly remainingTime: RemainingTime; readonly billing: ImmediateProration },
): Plan {
  if (subscription.status !== 'active')
    refuse('invalid_state', {
      detail: 'The interval of a paused subscription can only be changed for the next period.',
      current_status: subscription.status,
      allowed_actions: ['resume', 'cancel'],
    })
  if (billing !== 'invoice_now')
    refuseMember(
      '/proration/behaviour',
      'not_in_list',
      'must be invoice_now or next_period when the interval changes',
    )
  const { at, ids } = context
  const changeId = ids.change()
  const start = newPeriod(subscription, changed.interval, at)
  const { epoch, index, startAt, endAt } = start.period
  const { currency, discounts, items } = subscription
  const unused = changeLines(
    { currency, discounts, changeId, tax: money.tax },
    { from: items, to: [] },
    remainingTime,
    isPaidOrPayable(money),
  )
  const cycle = inheritingCycle(changed, start, { tax: money.tax, unused })
  const charges = [...cycle.lines, ...money.pending]
  const wanted = limitChange(currency, unused, money.creditLimit)
  const { credits, reducesInvoiceId, returns } = limitToPaid({ currency, credits: wanted, charges }, money)
  const lines = [...credits.filter(({ amount }) => amount !== 0n), ...charges]
  const invoice = draftOf(changed, context, {
    reason: 'change',
    collect: 'now',
    changeId,
    period: { epoch, index, startAt, endAt },
    lines,
    reducesInvoiceId: amountsOfDraft({ currency, lines }).total < 0n ? reducesInvoiceId : null,
  })
  const after: Subscription = {
    ...changed,
    anchor: start.anchor,
    accountedAt: at,
    latestInvoiceId: invoice.id,
    currentPeriod: { ...start.period, invoiceId: invoice.id },
    discounts: cycle.discounts,
  }
  const before = subscription.currentPeriod as CurrentPeriod
  return {
    ...emptyPlan,
    ...withEvent('updated', after),
    invoices: [invoice],
    returns,
    includesPendingLines: money.pending.length > 0,
    spans: [
      { action: 'truncate', at },
      { action: 'add', kind: 'cycle', startAt: at, endAt, invoiceId: invoice.id },
    ],
    releases: [
      {
        invoiceId: before.invoiceId,
        seconds: remainingTime.seconds,
        as: isPaidOrPayable(money) ? 'credited' : 'forfeited',
      },
    ],
  }
}

/**
 * The new period inherits the discounts of the period that it replaces, without using another of their
 * periods. A discount that has not applied to any period yet begins with the new period.
 */
function inheritingCycle(
  changed: Subscription,
  start: PeriodStart,
  { tax, unused }: { readonly tax: TaxFacts; readonly unused: readonly LineDraft[] },
) {
  const entering = discountsOfReplacement(
    changed.discounts,
    unused.flatMap(({ discounts = [] }) => discounts),
  )
  const cycle = discountedCycle(changed, start, entering, tax)
  const before = new Map(entering.map((discount) => [discount.id, discount]))
  return {
    lines: cycle.lines,
    discounts: cycle.discounts.map((discount) => {
      const inherited = before.get(discount.id)
      return inherited?.isInPeriod
        ? { ...discount, usedPeriods: inherited.usedPeriods, isInPeriod: true }
        : discount
    }),
  }
}

function refuseWhileActivating({ status }: Subscription): never {
  return refuse('invalid_state', {
    detail: 'The first payment of the subscription is pending. Change the items once it is settled.',
    current_status: status,
    allowed_actions: ['pause', 'resume', 'cancel'],
  })
}
