/** Plans pauses and cancellations. Billed but unused time is kept, returned or forfeited. */
import { afterPeriodWithdrawn } from '../../../../kernel/discounts.ts'
import {
  type Activation,
  type CancellationReason,
  type CancelOptions,
  isActivating,
  type PauseOptions,
  type PauseReason,
  type Subscription,
} from '../subscription.ts'
import {
  emptyPlan,
  type Plan,
  type PlanContext,
  type Snapshot,
  type SpanChange,
  withEvent,
} from './snapshot.ts'
import { planUnusedTime, type UnusedTimePlan } from './unused-time.ts'

/** Pauses the subscription now. */
export function planPause(
  snapshot: Snapshot,
  context: PlanContext,
  options: PauseOptions & { reason: PauseReason },
): Plan {
  const { subscription, money } = snapshot
  const { at } = context
  const { reason, resumesAt, openInvoices, unusedTime } = options
  const voids = openInvoices === 'void' ? money.open : []
  const unwound = unwindActivation(snapshot, context, {
    keepsPeriod: isPaidOrInProgress(snapshot) && !isActivatedBy(subscription, voids),
  })
  const unusedTimePlan = planUnusedTime(unwound.snapshot, context, { unusedTime, voids, reason: 'change' })
  const remainingSeconds = unusedTimePlan.keptSeconds
  const after: Subscription = {
    ...unwound.snapshot.subscription,
    ...latestInvoice(subscription, unusedTimePlan),
    status: 'paused',
    ...(remainingSeconds > 0 || unwound.isAwaitingPayment ? {} : { currentPeriod: null }),
    pause: { reason, pausedAt: at, resumesAt, openInvoices, unusedTime, remainingSeconds },
    scheduledChange: subscription.scheduledChange?.action === 'pause' ? null : subscription.scheduledChange,
  }
  const pausedSpan: SpanChange = { action: 'add', kind: 'paused', startAt: at, endAt: null, invoiceId: null }
  return {
    ...emptyPlan,
    ...withEvent('paused', after),
    invoices: unusedTimePlan.invoices,
    releases: unusedTimePlan.releases,
    returns: unusedTimePlan.returns,
    spans: [...unwound.spans, { action: 'truncate', at }, pausedSpan],
    voids: [...new Set([...unwound.voids, ...voids])],
    collection: openInvoices === 'stop' ? 'hold' : null,
  }
}

const defaultCancelOptions: CancelOptions = { unusedTime: 'forfeit', openInvoices: 'stop', feedback: null }

/** Cancels the subscription now. Scheduled changes are dropped. */
export function planCancellation(
  snapshot: Snapshot,
  context: PlanContext,
  reason: CancellationReason,
  { unusedTime, openInvoices, feedback }: CancelOptions = defaultCancelOptions,
): Plan {
  const { subscription, money } = snapshot
  const { at, now } = context
  const unwound = unwindActivation(snapshot, context, { keepsPeriod: false })
  const voids = openInvoices === 'void' ? money.open : []
  const unusedTimePlan = planUnusedTime(unwound.snapshot, context, { unusedTime, voids, reason: 'cancel' })
  const after: Subscription = {
    ...unwound.snapshot.subscription,
    ...latestInvoice(subscription, unusedTimePlan),
    status: 'cancelled',
    pause: null,
    currentPeriod: null,
    scheduledChange: null,
    cancellation: { reason, feedback },
    cancelledAt: now,
    endedAt: at,
  }
  return {
    ...emptyPlan,
    ...withEvent('cancelled', after),
    invoices: unusedTimePlan.invoices,
    releases: unusedTimePlan.releases,
    returns: unusedTimePlan.returns,
    spans: [...unwound.spans, { action: 'truncate', at }],
    voids: [...new Set([...unwound.voids, ...voids])],
    collection: openInvoices === 'stop' ? 'hold' : null,
    refund: unusedTimePlan.refund,
  }
}

function latestInvoice({ latestInvoiceId }: Subscription, { invoices }: UnusedTimePlan) {
  return { latestInvoiceId: invoices.at(-1)?.id ?? latestInvoiceId }
}

type UnwoundActivation = {
  /** The snapshot, without the period if it was not paid. */
  readonly snapshot: Snapshot
  readonly spans: readonly SpanChange[]
  readonly voids: Plan['voids']
  /**
   * Whether the outcome of a payment is still awaited. If the payment succeeds, the whole period is kept for
   * later.
   */
  readonly isAwaitingPayment: boolean
}

/** Whether the activation invoice is being paid, or was paid but the result was not applied yet. */
function isPaidOrInProgress({ money: { current } }: Snapshot): boolean {
  return current !== null && (current.inFlight || current.status === 'paid')
}

function isActivatedBy({ activation }: Subscription, invoices: Plan['voids']): boolean {
  const invoiceId = activation?.invoiceId ?? null
  return invoiceId !== null && invoices.includes(invoiceId)
}

/**
 * Stops a subscription that waits for its activation payment. The time since the start counts as unbilled.
 * Unless the period is kept, its invoice is withdrawn: voided immediately or, if a payment is in progress,
 * after the payment has ended and was refunded.
 */
function unwindActivation(
  snapshot: Snapshot,
  { at }: PlanContext,
  { keepsPeriod }: { readonly keepsPeriod: boolean },
): UnwoundActivation {
  const { subscription, money } = snapshot
  const { activation, currentPeriod, status } = subscription
  const invoiceId = isActivating(subscription) ? (activation?.invoiceId ?? null) : null
  if (invoiceId === null || invoiceId !== currentPeriod?.invoiceId)
    return { snapshot, spans: [], voids: [], isAwaitingPayment: false }
  const isAwaitingPayment = keepsPeriod
  const { startAt } = currentPeriod
  const kind = status === 'paused' ? 'paused' : 'trial'
  const unbilledSpan: SpanChange = { action: 'add', kind, startAt, endAt: at, invoiceId: null }
  const discounts = afterPeriodWithdrawn(subscription.discounts)
  const before = isAwaitingPayment
    ? { ...subscription, activation: awaitingPayment(activation) }
    : { ...subscription, activation: null, currentPeriod: null, discounts }
  return {
    isAwaitingPayment,
    snapshot: { subscription: before, money: { ...money, current: null } },
    // If the subscription was paused during its first payment, the time was already freed by that pause.
    spans: hasFreedPeriod(subscription)
      ? []
      : [{ action: 'free', invoiceId }, ...(startAt < at ? [unbilledSpan] : [])],
    voids: isAwaitingPayment ? [] : [invoiceId],
  }
}

/**
 * The payment in progress decides whether the period is kept. If an earlier payment was declined, the customer no
 * longer has to do anything: a paused subscription does not require another payment.
 */
export function awaitingPayment(activation: Activation | null): Activation | null {
  return activation?.state === 'requires_action' ? { ...activation, state: 'pending' } : activation
}

/**
 * Whether the subscription was paused during its first payment, so that its whole period can be used later.
 */
export function hasFreedPeriod({ status, activation }: Subscription): boolean {
  return status === 'paused' && activation?.purpose === 'start'
}
