/**
 * The input and the result of planning. A plan is data: the states that a subscription passes through, each
 * with its event, the accounted time, and the invoices. A preview shows the plan and a command stores it, so
 * the two cannot differ.
 */
import type { Id } from '../../../../kernel/id.ts'
import { amountsOfDraft, type InvoiceDraft, type LineDraft } from '../../../../kernel/invoice-lines.ts'
import type { Subscription } from '../subscription.ts'
import { chargedBy, noTax, type TaxFacts } from './tax.ts'

/** The invoice data that planning needs. */
export type MoneyFacts = {
  /** The invoice of the current period. */
  readonly current: InvoiceFacts | null
  /** The amount paid for the period, by its invoice and by invoices for later changes. */
  readonly paidForPeriod: bigint
  /**
   * The most that can be credited, if credit notes, refunds or disputes have returned part of the period. Null if nothing
   * was returned.
   */
  readonly creditLimit: bigint | null
  /**
   * The amount that changes can credit, excluding invoices that are still owed. Null if it was not loaded.
   */
  readonly paidLimit: PaidLimit | null
  /** Unpaid invoices for the period: its own invoice and invoices for later changes. */
  readonly unpaidForPeriod: readonly UnpaidInvoice[]
  /** Draft and open invoices that the customer owes, oldest first. */
  readonly open: readonly Id<'invoice'>[]
  /** Overdue invoices, oldest first. */
  readonly overdue: readonly Id<'invoice'>[]
  /** Pending lines for the next invoice. */
  readonly pending: readonly LineDraft[]
  readonly tax: TaxFacts
}

export type PaidLimit = {
  /** The amount that was paid for the period, and not returned. */
  readonly amount: bigint
  /** Whether an invoice for a change within the period is void or uncollectible. */
  readonly hasLostInvoice: boolean
}

type UnpaidInvoice = {
  readonly id: Id<'invoice'>
  readonly total: bigint
  readonly remaining: bigint
  readonly inFlight: boolean
}

export type InvoiceFacts = {
  readonly id: Id<'invoice'>
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Whether a payment has started and not ended. */
  readonly inFlight: boolean
}

export const emptyMoneyFacts: MoneyFacts = {
  current: null,
  paidForPeriod: 0n,
  creditLimit: null,
  paidLimit: null,
  unpaidForPeriod: [],
  open: [],
  overdue: [],
  pending: [],
  tax: noTax,
}

/** A subscription and the data of its invoices. */
export type Snapshot = { readonly subscription: Subscription; readonly money: MoneyFacts }

/** `at` is when a change takes effect, `now` when it is processed: processing may be late. */
export type PlanContext = { readonly at: Date; readonly now: Date; readonly ids: IdFactory }

/** Creates the ids of a plan. The ids of a preview are discarded. */
export type IdFactory = {
  readonly invoice: () => Id<'invoice'>
  readonly change: () => Id<'subscription_change'>
}

export const subscriptionEventNames = [
  'created',
  'activated',
  'activation_required',
  'activation_expired',
  'trial_will_end',
  'updated',
  'renewed',
  'paused',
  'resumed',
  'cancel_scheduled',
  'cancelled',
  'past_due',
  'recovered',
  'unpaid',
  'parked',
  'unparked',
] as const
export type SubscriptionEventName = (typeof subscriptionEventNames)[number]

export type SpanKind = 'trial' | 'cycle' | 'paused'

/** A change of the accounted time. */
export type SpanChange =
  /** Removes all accounted time after `at`. */
  | { readonly action: 'truncate'; readonly at: Date }
  /** Removes the time that this invoice would have billed. */
  | { readonly action: 'free'; readonly invoiceId: Id<'invoice'> }
  | {
      readonly action: 'add'
      readonly kind: SpanKind
      readonly startAt: Date
      /** Null: open-ended. */
      readonly endAt: Date | null
      readonly invoiceId: Id<'invoice'> | null
    }

/** Billed time that is not used in its period, and what happens to it. */
export type ReleasedTime = {
  readonly invoiceId: Id<'invoice'>
  readonly seconds: number
  readonly as: 'kept' | 'credited' | 'refunded' | 'forfeited'
}

export type Step = { readonly event: SubscriptionEventName; readonly after: Subscription }

export type Plan = {
  /** The states that the subscription passes through; empty if nothing changes. */
  readonly steps: readonly Step[]
  readonly spans: readonly SpanChange[]
  readonly invoices: readonly InvoiceDraft[]
  /** New pending lines for the next invoice. */
  readonly pendingLines: readonly LineDraft[]
  /** Whether an invoice of this plan includes the pending lines. */
  readonly includesPendingLines: boolean
  /** Invoices to void. An invoice with a payment in progress is voided when the payment has ended. */
  readonly voids: readonly Id<'invoice'>[]
  /** Whether collection of open invoices is held or released. */
  readonly collection: 'hold' | 'release' | null
  /** Overdue invoices to retry now, oldest first. */
  readonly attempts: readonly Id<'invoice'>[]
  readonly refund: { readonly invoiceId: Id<'invoice'>; readonly amount: bigint } | null
  /** Amounts to return once an unpaid invoice is paid. */
  readonly returns: readonly PlannedReturn[]
  readonly releases: readonly ReleasedTime[]
}

type PlannedReturn = {
  readonly invoiceId: Id<'invoice'>
  readonly amount: bigint
  readonly as: 'credit' | 'refund'
}

export const emptyPlan: Plan = {
  steps: [],
  spans: [],
  invoices: [],
  pendingLines: [],
  includesPendingLines: false,
  voids: [],
  collection: null,
  attempts: [],
  refund: null,
  returns: [],
  releases: [],
}

export function concatPlans(first: Plan, second: Plan): Plan {
  return {
    steps: [...first.steps, ...second.steps],
    spans: [...first.spans, ...second.spans],
    invoices: [...first.invoices, ...second.invoices],
    pendingLines: second.includesPendingLines
      ? second.pendingLines
      : [...first.pendingLines, ...second.pendingLines],
    includesPendingLines: first.includesPendingLines || second.includesPendingLines,
    voids: [...first.voids, ...second.voids],
    collection: second.collection ?? first.collection,
    attempts: [...first.attempts, ...second.attempts],
    refund: second.refund ?? first.refund,
    returns: [...first.returns, ...second.returns],
    releases: [...first.releases, ...second.releases],
  }
}

/** The snapshot after the plan is stored. */
export function snapshotAfter(snapshot: Snapshot, plan: Plan): Snapshot {
  const subscription = plan.steps.at(-1)?.after ?? snapshot.subscription
  return { subscription, money: moneyAfter(snapshot.money, plan, subscription) }
}

function moneyAfter(before: MoneyFacts, plan: Plan, { currentPeriod }: Subscription): MoneyFacts {
  const voided = new Set(plan.voids)
  const invoiceId = currentPeriod?.invoiceId ?? null
  const isSamePeriod = invoiceId !== null && before.current?.id === invoiceId
  const unchanged = before.current !== null && isSamePeriod ? before.current : null
  const drafted = plan.invoices.map(({ id }) => id)
  return {
    current: unchanged ?? (invoiceId === null ? null : { id: invoiceId, status: 'draft', inFlight: false }),
    paidForPeriod: isSamePeriod ? before.paidForPeriod : 0n,
    creditLimit: isSamePeriod ? before.creditLimit : null,
    paidLimit: isSamePeriod ? before.paidLimit : null,
    unpaidForPeriod: [
      ...(isSamePeriod ? before.unpaidForPeriod : []),
      ...unpaidOf(isSamePeriod ? plan.invoices : draftsFrom(plan.invoices, invoiceId)),
    ].filter(({ id }) => !voided.has(id)),
    open: [...before.open, ...drafted].filter((id) => !voided.has(id)),
    overdue: before.overdue.filter((id) => !voided.has(id)),
    pending: [...(plan.includesPendingLines ? [] : before.pending), ...plan.pendingLines],
    tax: taxAfter(before.tax, plan, isSamePeriod),
  }
}

function taxAfter(before: TaxFacts, plan: Plan, isSamePeriod: boolean): TaxFacts {
  const planned = [...plan.invoices.flatMap(({ lines }) => lines), ...plan.pendingLines]
  return { ...before, charged: [...(isSamePeriod ? before.charged : []), ...chargedBy(planned)] }
}

/** The invoice of the new period, and those drafted after it. */
function draftsFrom(drafts: Plan['invoices'], invoiceId: Id<'invoice'> | null): Plan['invoices'] {
  const first = drafts.findIndex(({ id }) => id === invoiceId)
  return first === -1 ? [] : drafts.slice(first)
}

function unpaidOf(drafts: Plan['invoices']): UnpaidInvoice[] {
  return drafts
    .map((draft) => ({ id: draft.id, total: amountsOfDraft(draft).total }))
    .filter(({ total }) => total > 0n)
    .map((draft) => ({ ...draft, remaining: draft.total, inFlight: false }))
}

export function withEvent(event: SubscriptionEventName, after: Subscription): Pick<Plan, 'steps'> {
  return { steps: [{ event, after }] }
}
