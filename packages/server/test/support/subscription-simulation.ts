// Simulates a subscription in memory: applies plans like the store, rejects what the database would reject,
// and records enough to check afterwards that all time and money is accounted for.

import type { Command } from '../../src/domains/billing/subscriptions/plan/commands.ts'
import { nextDue } from '../../src/domains/billing/subscriptions/plan/due.ts'
import {
  type ExternalEvent,
  planAdvance,
  planCommand,
  planExternalEvent,
  withNextAction,
} from '../../src/domains/billing/subscriptions/plan/plan.ts'
import type {
  IdFactory,
  MoneyFacts,
  Plan,
  ReleasedTime,
  Snapshot,
  SpanKind,
} from '../../src/domains/billing/subscriptions/plan/snapshot.ts'
import { planNewSubscription } from '../../src/domains/billing/subscriptions/plan/start.ts'
import { noTax } from '../../src/domains/billing/subscriptions/plan/tax.ts'
import {
  type Item,
  initialState,
  type Subscription,
  type SubscriptionTerms,
  type Trial,
} from '../../src/domains/billing/subscriptions/subscription.ts'
import { addSeconds } from '../../src/kernel/clock.ts'
import { type Id, idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { type InvoiceDraft, type LineDraft, totalOf } from '../../src/kernel/invoice-lines.ts'

const nextUuid = idMaker(new Date('2027-01-01T00:00:00Z'), 0)
export const anId = <K extends Parameters<typeof idFromUuid>[0]>(kind: K) =>
  idFromUuid(kind, 'test', nextUuid())

export const ids: IdFactory = { invoice: () => anId('invoice'), change: () => anId('subscription_change') }

export type Span = { kind: SpanKind; startAt: Date; endAt: Date | null; invoiceId: Id<'invoice'> | null }
export type SimulatedInvoice = {
  draft: InvoiceDraft
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  inFlight: boolean
  overdue: boolean
  /** The invoice of the period in which this invoice was created; its own id if it starts a period. */
  periodOf: Id<'invoice'> | null
}

export type SubscriptionSimulation = {
  now: Date
  subscription: Subscription
  spans: Span[]
  invoices: Map<Id<'invoice'>, SimulatedInvoice>
  pending: LineDraft[]
  releases: ReleasedTime[]
  /** The types of the emitted events. */
  eventTypes: string[]
  /** The items over time. */
  items: { at: Date; items: readonly Item[] }[]
  refunded: bigint
}

export function anItem(unitAmountDecimal: string, quantity = 1): Item {
  const ids = { id: anId('subscription_item'), priceId: anId('price'), productId: anId('product') }
  return { ...ids, unitAmountDecimal, quantity, metadata: {} }
}

export function newSubscription(
  startedAt: Date,
  terms: Partial<SubscriptionTerms> = {},
  trial: Trial | null = null,
): Subscription {
  return {
    customerId: anId('customer'),
    currency: 'usd',
    interval: { unit: 'month', count: 1 },
    items: [anItem('2999')],
    discounts: [],
    paymentMethodId: anId('payment_method'),
    paymentRouteId: null,
    dunningPolicyId: null,
    checkoutSessionId: null,
    description: null,
    metadata: {},
    activationPolicy: 'on_payment',
    requestedAnchor: { dayOfMonth: null, timeZone: 'UTC', stub: 'prorate' },
    testClockId: null,
    ...terms,
    ...initialState,
    id: anId('subscription'),
    trial,
    scheduledChange: null,
    accountedAt: startedAt,
    startedAt,
    createdAt: startedAt,
    updatedAt: startedAt,
    version: 1,
    sequence: 1,
  }
}

export function startSimulation(subscription: Subscription): SubscriptionSimulation {
  const simulation: SubscriptionSimulation = {
    now: subscription.startedAt,
    subscription,
    spans: [],
    invoices: new Map(),
    pending: [],
    releases: [],
    eventTypes: [],
    items: [{ at: subscription.startedAt, items: subscription.items }],
    refunded: 0n,
  }
  const context = { at: simulation.now, now: simulation.now, ids }
  const snapshot = { subscription, money: readMoneyFacts(simulation) }
  apply(simulation, withNextAction(snapshot, planNewSubscription(subscription, context)), simulation.now)
  return simulation
}

export function snapshotOf(simulation: SubscriptionSimulation): Snapshot {
  return { subscription: simulation.subscription, money: readMoneyFacts(simulation) }
}

function readMoneyFacts({ subscription, invoices, pending }: SubscriptionSimulation): MoneyFacts {
  const currentId = subscription.currentPeriod?.invoiceId ?? null
  const current = currentId === null ? undefined : invoices.get(currentId)
  const open = [...invoices].filter(([, { status, draft }]) => status === 'open' && totalOf(draft.lines) > 0n)
  const periodInvoices = [...invoices.values()].filter(
    ({ periodOf }) => currentId !== null && periodOf === currentId,
  )
  return {
    current:
      currentId === null || current === undefined
        ? null
        : { id: currentId, status: current.status, inFlight: current.inFlight },
    paidForPeriod: sumPaid(periodInvoices),
    creditLimit: null,
    paidLimit: null,
    unpaidForPeriod: open
      .filter(([, { periodOf }]) => currentId !== null && periodOf === currentId)
      .map(([id, { draft, inFlight }]) => {
        const total = totalOf(draft.lines)
        return { id, total, remaining: total, inFlight }
      }),
    open: open.map(([id]) => id),
    overdue: open.filter(([, { overdue }]) => overdue).map(([id]) => id),
    pending,
    tax: noTax,
  }
}

/** The sum of the paid totals, at least zero. */
function sumPaid(invoices: readonly SimulatedInvoice[]): bigint {
  const sum = invoices
    .filter(({ status }) => status === 'paid')
    .reduce((paid, { draft }) => paid + totalOf(draft.lines), 0n)
  return sum < 0n ? 0n : sum
}

export function runCommand(simulation: SubscriptionSimulation, command: Command): void {
  const context = { at: simulation.now, now: simulation.now, ids }
  apply(simulation, planCommand(snapshotOf(simulation), command, context), simulation.now)
}

export function applyExternalEvent(simulation: SubscriptionSimulation, event: ExternalEvent): void {
  apply(
    simulation,
    planExternalEvent(snapshotOf(simulation), event, { at: simulation.now, now: simulation.now, ids }),
    simulation.now,
  )
}

/** Applies the next due step. Returns whether there was one. */
export function advanceOnce(simulation: SubscriptionSimulation): boolean {
  const plan = planAdvance(snapshotOf(simulation), { at: simulation.now, now: simulation.now, ids })
  apply(simulation, plan, simulation.now)
  return plan.steps.length > 0
}

/** Advances the time, and applies every step at its due time. */
export function advanceTime(simulation: SubscriptionSimulation, seconds: number): void {
  const until = addSeconds(simulation.now, seconds)
  for (
    let due = nextDue(snapshotOf(simulation));
    due !== null && due.at <= until;
    due = nextDue(snapshotOf(simulation))
  ) {
    if (due.at > simulation.now) simulation.now = due.at
    if (!advanceOnce(simulation)) break
  }
  simulation.now = until
}

/** Applies a plan as the store would. */
export function apply(simulation: SubscriptionSimulation, plan: Plan, at: Date): void {
  const before = simulation.subscription.currentPeriod?.invoiceId ?? null
  for (const step of plan.steps) applyStep(simulation, step, at)
  for (const draft of plan.invoices) {
    const periodOf =
      draft.period === null ? (simulation.subscription.currentPeriod?.invoiceId ?? before) : draft.id
    const status = totalOf(draft.lines) <= 0n ? 'paid' : 'open'
    simulation.invoices.set(draft.id, { draft, status, periodOf, inFlight: false, overdue: false })
  }
  if (plan.includesPendingLines) simulation.pending = []
  simulation.pending.push(...plan.pendingLines)
  for (const id of plan.voids) voidInvoice(simulation, id)
  simulation.releases.push(...plan.releases)
  simulation.refunded += plan.refund?.amount ?? 0n
  for (const change of plan.spans) changeSpans(simulation, change)
}

function applyStep(
  simulation: SubscriptionSimulation,
  { event, after }: Plan['steps'][number],
  at: Date,
): void {
  const before = simulation.subscription
  if (before.items !== after.items) {
    const changedAt = after.accountedAt > before.accountedAt ? after.accountedAt : at
    simulation.items.push({ at: changedAt, items: after.items })
  }
  simulation.subscription = { ...after, version: before.version + 1 }
  simulation.eventTypes.push(event)
}

function voidInvoice({ invoices }: SubscriptionSimulation, id: Id<'invoice'>): void {
  const invoice = invoices.get(id)
  // An open invoice is voided even if its payment is in progress. If the payment succeeds, it is refunded.
  if (invoice !== undefined && invoice.status === 'open') invoice.status = 'void'
}

function changeSpans(simulation: SubscriptionSimulation, change: Plan['spans'][number]): void {
  if (change.action === 'free') {
    simulation.spans = simulation.spans.filter(({ invoiceId }) => invoiceId !== change.invoiceId)
    return
  }
  if (change.action === 'truncate') {
    simulation.spans = simulation.spans
      .filter(({ startAt }) => startAt < change.at)
      .map((span) => (span.endAt === null || span.endAt > change.at ? { ...span, endAt: change.at } : span))
    return
  }
  const { kind, startAt, endAt, invoiceId } = change
  const overlapping = simulation.spans.find(
    (span) => (span.endAt === null || span.endAt > startAt) && (endAt === null || span.startAt < endAt),
  )
  if (overlapping !== undefined)
    throw new Error(`overlap of ${JSON.stringify(overlapping)} and ${JSON.stringify(change)}`)
  if (endAt !== null && endAt <= startAt) throw new Error(`empty span ${JSON.stringify(change)}`)
  if ((kind === 'cycle') !== (invoiceId !== null))
    throw new Error('only a span of the kind cycle has an invoice')
  simulation.spans.push({ kind, startAt, endAt, invoiceId })
}

/** Pays or declines the invoice that the activation waits for. */
export function settleActivation(simulation: SubscriptionSimulation, isPaid: boolean): void {
  const id = simulation.subscription.activation?.invoiceId
  const invoice = id == null ? undefined : simulation.invoices.get(id)
  if (invoice === undefined || invoice.status !== 'open') return
  invoice.inFlight = false
  if (isPaid) invoice.status = 'paid'
  applyExternalEvent(
    simulation,
    isPaid ? { kind: 'paid' } : { kind: 'declined', paymentId: null, decline: null },
  )
}
