/** Entering a period: where it lies, what it costs, and the invoice that says so. */
import {
  type Anchor,
  anchorAt,
  anchorOnDay,
  boundary,
  type Interval,
  periodFrom,
  secondsBetween,
} from '../../../kernel/calendar.ts'
import { draftLine, type InvoiceDraft, type LineDraft, type LineRule } from '../../../kernel/invoice-lines.ts'
import type { CurrentPeriod, Item, Subscription } from '../subscription.ts'
import type { Moment, Plan, Scene, SpanChange } from './scene.ts'

/** A period that is about to be entered, and the anchor that later ones are counted from. */
export type Entered = {
  readonly anchor: Anchor
  readonly period: Omit<CurrentPeriod, 'invoiceId'>
  readonly isFree: boolean
}

/** The first period, as it was wished for. */
export function firstPeriod({ anchorWish, interval }: Subscription, at: Date): Entered {
  const { dayOfMonth, timeZone, stub } = anchorWish
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

/** A period from that instant on, whatever was before: the anchor moves there. */
export function newPeriod({ anchor, anchorWish }: Subscription, interval: Interval, at: Date): Entered {
  const timeZone = anchor?.timeZone ?? anchorWish.timeZone
  return periodOf(anchorAt(at, timeZone, nextEpoch(anchor)), interval, at)
}

export function nextEpoch(anchor: Anchor | null): number {
  return anchor === null ? 0 : anchor.epoch + 1
}

/** The period after the one that ends. */
export function followingPeriod({ currentPeriod, interval }: Subscription, anchor: Anchor): Entered {
  const { epoch, index, endAt } = currentPeriod as CurrentPeriod
  // The anchor was moved while the period ran: it begins to count where the period ends.
  const next = epoch === anchor.epoch ? index + 1 : 0
  const found = periodFrom(anchor, interval, next)
  // An hour that comes twice has two instants, and the anchor remembers the first. Time is not billed twice.
  const period = { ...found, epoch: anchor.epoch, startAt: endAt, nominalStartAt: endAt }
  return { anchor, period, isFree: false }
}

function periodOf(anchor: Anchor, interval: Interval, at: Date): Entered {
  const period = { epoch: anchor.epoch, index: 0, startAt: at, endAt: boundary(anchor, interval, 1) }
  return { anchor, period: { ...period, nominalStartAt: at }, isFree: false }
}

export function lengthOf({ nominalStartAt, endAt }: Pick<CurrentPeriod, 'nominalStartAt' | 'endAt'>): number {
  return secondsBetween(nominalStartAt, endAt)
}

/** What the items cost for that period. */
export function cycleLines(
  { currency, items }: Pick<Subscription, 'currency' | 'items'>,
  { period, isFree }: Entered,
): LineDraft[] {
  const { startAt, endAt } = period
  const denominatorSeconds = lengthOf(period)
  const numeratorSeconds = isFree ? 0 : secondsBetween(startAt, endAt)
  const rule: LineRule = isFree
    ? 'free_stub'
    : numeratorSeconds === denominatorSeconds
      ? 'full_period'
      : 'first_stub'
  return items.map((item) =>
    draftLine(currency, {
      ...{ rule, numeratorSeconds, denominatorSeconds, changeId: null, service: { startAt, endAt } },
      ...billed(item),
    }),
  )
}

export function billed({ id, priceId, unitAmountDecimal, quantity }: Item) {
  return { subscriptionItemId: id, priceId, unitAmountDecimal, quantity }
}

type Wanted = Pick<InvoiceDraft, 'reason' | 'lines' | 'collect'> &
  Partial<Pick<InvoiceDraft, 'period' | 'changeId' | 'reducesInvoiceId'>>

export function draftOf(subscription: Subscription, { now, draw }: Moment, wanted: Wanted): InvoiceDraft {
  return {
    id: draw.invoice(),
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
    ...wanted,
  }
}

type Entering = Pick<Plan, 'invoices' | 'takesPending'> & {
  readonly invoice: InvoiceDraft
  readonly entered: Pick<Subscription, 'anchor' | 'currentPeriod' | 'latestInvoiceId' | 'accountedAt'>
  readonly span: SpanChange
}

/**
 * The invoice of a period, and what the subscription becomes by it. What waits for an invoice comes with it, unless
 * it may yet be void because nobody paid in time: then it would be lost.
 */
export function enter(
  { subscription, money }: Scene,
  entered: Entered,
  moment: Moment,
  wanted: Pick<InvoiceDraft, 'reason' | 'collect'>,
): Entering {
  const { anchor, period } = entered
  const pending = wanted.reason === 'cycle' ? money.pending : []
  const { epoch, index, startAt, endAt } = period
  const invoice = draftOf(subscription, moment, {
    ...wanted,
    period: { epoch, index, startAt, endAt },
    lines: [...cycleLines(subscription, entered), ...pending],
  })
  return {
    invoice,
    invoices: [invoice],
    takesPending: pending.length > 0,
    entered: {
      anchor,
      currentPeriod: { ...period, invoiceId: invoice.id },
      latestInvoiceId: invoice.id,
      accountedAt: startAt,
    },
    span: { is: 'added', kind: 'cycle', startAt, endAt, invoiceId: invoice.id },
  }
}
