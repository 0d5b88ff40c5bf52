/** The start of a period: its dates, its lines and its invoice. */
import {
  type Anchor,
  anchorAt,
  anchorOnDay,
  boundary,
  type Interval,
  periodFrom,
  secondsBetween,
} from '../../../../kernel/calendar.ts'
import {
  type AttachedDiscount,
  afterPeriodStart,
  discountLines,
  discountsOfNextPeriod,
  isEligible,
} from '../../../../kernel/discounts.ts'
import {
  draftLine,
  type InvoiceDraft,
  type LineDraft,
  type LineRule,
  withDiscounts,
} from '../../../../kernel/invoice-lines.ts'
import { factorsOf } from '../../../../kernel/price-schemes.ts'
import { type CurrentPeriod, flatItems, type Item, isMetered, type Subscription } from '../subscription.ts'
import type { Plan, PlanContext, Snapshot, SpanChange } from './snapshot.ts'
import { chargeOf, type TaxFacts } from './tax.ts'

/** A period that is about to start, and the anchor for later periods. */
export type PeriodStart = {
  readonly anchor: Anchor
  readonly period: Omit<CurrentPeriod, 'invoiceId'>
  readonly isFree: boolean
}

/** The first period, aligned with the requested anchor. */
export function firstPeriod({ requestedAnchor, interval }: Subscription, at: Date): PeriodStart {
  const { dayOfMonth, timeZone, stub } = requestedAnchor
  if (dayOfMonth === null) return periodOf(anchorAt(at, timeZone, 0), interval, at)
  const anchor = anchorOnDay(at, interval, { day: dayOfMonth, timeZone, epoch: 0 })
  const nominalStartAt = boundary(anchor, interval, 0)
  const { period } = periodOf(anchor, interval, at)
  const isStub = nominalStartAt < at
  return {
    anchor,
    period: { ...period, nominalStartAt: isStub ? nominalStartAt : at },
    isFree: isStub && stub === 'free',
  }
}

/** A new period that starts at `at`, which becomes the anchor. */
export function newPeriod(
  { anchor, requestedAnchor }: Subscription,
  interval: Interval,
  at: Date,
): PeriodStart {
  const timeZone = anchor?.timeZone ?? requestedAnchor.timeZone
  return periodOf(anchorAt(at, timeZone, nextEpoch(anchor)), interval, at)
}

export function nextEpoch(anchor: Anchor | null): number {
  return anchor === null ? 0 : anchor.epoch + 1
}

/** The period after the current one. */
export function followingPeriod({ currentPeriod, interval }: Subscription, anchor: Anchor): PeriodStart {
  const { epoch, index, endAt } = currentPeriod as CurrentPeriod
  // If the anchor moved during the period, the index restarts where the period ends.
  const next = epoch === anchor.epoch ? index + 1 : 0
  const nextPeriod = periodFrom(anchor, interval, next)
  // In an hour that repeats when daylight saving time ends, the anchor refers to the first occurrence. Start
  // at the end of the previous period, so that no time is billed twice.
  const period = { ...nextPeriod, epoch: anchor.epoch, startAt: endAt, nominalStartAt: endAt }
  return { anchor, period, isFree: false }
}

function periodOf(anchor: Anchor, interval: Interval, at: Date): PeriodStart {
  const period = { epoch: anchor.epoch, index: 0, startAt: at, endAt: boundary(anchor, interval, 1) }
  return { anchor, period: { ...period, nominalStartAt: at }, isFree: false }
}

export function lengthOf({ nominalStartAt, endAt }: Pick<CurrentPeriod, 'nominalStartAt' | 'endAt'>): number {
  return secondsBetween(nominalStartAt, endAt)
}

/** The invoice lines that bill the items for this period. */
export function cycleLines(
  { currency, items }: Pick<Subscription, 'currency' | 'items'>,
  { period, isFree }: PeriodStart,
  tax: TaxFacts,
): LineDraft[] {
  const { startAt, endAt } = period
  const denominatorSeconds = lengthOf(period)
  const numeratorSeconds = isFree ? 0 : secondsBetween(startAt, endAt)
  const rule: LineRule = isFree
    ? 'free_stub'
    : numeratorSeconds === denominatorSeconds
      ? 'full_period'
      : 'first_stub'
  return flatItems(items).map((item) =>
    draftLine(currency, {
      rule,
      numeratorSeconds,
      denominatorSeconds,
      changeId: null,
      service: { startAt, endAt },
      ...chargeOf(tax, item),
      ...lineFieldsOf(item),
    }),
  )
}

/** The lines of a period after discounts, and the discounts after the period began. */
export function discountedCycle(
  subscription: Pick<Subscription, 'currency' | 'items'>,
  start: PeriodStart,
  discounts: readonly AttachedDiscount[],
  tax: TaxFacts,
): { readonly lines: readonly LineDraft[]; readonly discounts: readonly AttachedDiscount[] } {
  const lines = cycleLines(subscription, start, tax)
  if (discounts.length === 0) return { lines, discounts }
  const { currency } = subscription
  const items = flatItems(subscription.items)
  const discountable = lines.map(({ amount }, index) => ({
    amount,
    productId: items[index]?.productId ?? null,
    ...(items[index] === undefined ? {} : { itemId: items[index].id }),
  }))
  const applied = discountLines(currency, discountable, discounts)
  const metered = subscription.items.filter(isMetered)
  return {
    lines: lines.map((line, index) => withDiscounts(currency, line, applied[index] ?? [])),
    discounts: afterPeriodStart(
      discounts,
      discounts.filter(
        (discount) =>
          applied.some((line) => line.some(({ id }) => id === discount.id)) ||
          // The discount will apply to the charges for usage in the period.
          metered.some(({ id: itemId, productId }) => isEligible(discount, { itemId, productId })),
      ),
    ),
  }
}

export function lineFieldsOf({ id, priceId, quantity, ...item }: Omit<Item, 'metadata' | 'productId'>) {
  return { subscriptionItemId: id, priceId, quantity, ...factorsOf(item) }
}

type DraftFields = Pick<InvoiceDraft, 'reason' | 'lines' | 'collect'> &
  Partial<Pick<InvoiceDraft, 'period' | 'changeId' | 'reducesInvoiceId'>>

export function draftOf(
  subscription: Subscription,
  { now, ids }: PlanContext,
  fields: DraftFields,
): InvoiceDraft {
  return {
    id: ids.invoice(),
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    currency: subscription.currency,
    paymentMethodId: subscription.paymentMethodId,
    paymentRouteId: subscription.paymentRouteId,
    testClockId: subscription.testClockId,
    finalizeAt: now,
    period: null,
    changeId: null,
    reducesInvoiceId: null,
    ...fields,
  }
}

type PeriodEntry = Pick<Plan, 'invoices' | 'includesPendingLines'> & {
  readonly invoice: InvoiceDraft
  readonly changes: Pick<
    Subscription,
    'anchor' | 'currentPeriod' | 'latestInvoiceId' | 'accountedAt' | 'discounts'
  >
  readonly span: SpanChange
}

/**
 * The invoice of a period, and the resulting changes of the subscription. Pending lines are only added to the
 * invoice of a renewal: an invoice for a start or a resumption is voided if it is not paid in time, and the
 * lines would be lost.
 */
export function enterPeriod(
  { subscription, money }: Snapshot,
  start: PeriodStart,
  context: PlanContext,
  fields: Pick<InvoiceDraft, 'reason' | 'collect'>,
): PeriodEntry {
  const { anchor, period } = start
  const pending = fields.reason === 'cycle' ? money.pending : []
  const { epoch, index, startAt, endAt } = period
  const cycle = discountedCycle(subscription, start, discountsOfNextPeriod(subscription.discounts), money.tax)
  const invoice = draftOf(subscription, context, {
    ...fields,
    period: { epoch, index, startAt, endAt },
    lines: [...cycle.lines, ...pending],
  })
  return {
    invoice,
    invoices: [invoice],
    includesPendingLines: pending.length > 0,
    changes: {
      anchor,
      currentPeriod: { ...period, invoiceId: invoice.id },
      latestInvoiceId: invoice.id,
      accountedAt: startAt,
      discounts: cycle.discounts,
    },
    span: { action: 'add', kind: 'cycle', startAt, endAt, invoiceId: invoice.id },
  }
}
