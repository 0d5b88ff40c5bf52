// A world in memory for plans of subscriptions: it does what a store would do with them, refuses what the
// database would refuse, and remembers enough to ask afterwards whether all time and money is accounted for.

import type { Command } from '../../src/domains/subscriptions/plan/commands.ts'
import { nextDue } from '../../src/domains/subscriptions/plan/due.ts'
import {
  type News,
  planAdvance,
  planCommand,
  planNews,
  withNextAction,
} from '../../src/domains/subscriptions/plan/plan.ts'
import type {
  Draw,
  MoneyFacts,
  Plan,
  Release,
  Scene,
  SpanKind,
} from '../../src/domains/subscriptions/plan/scene.ts'
import { create } from '../../src/domains/subscriptions/plan/start.ts'
import {
  type Item,
  type Subscription,
  type Terms,
  type Trial,
  newborn as unborn,
} from '../../src/domains/subscriptions/subscription.ts'
import { addSeconds } from '../../src/kernel/clock.ts'
import { type Id, idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { type InvoiceDraft, type LineDraft, totalOf } from '../../src/kernel/invoice-lines.ts'

const nextUuid = idMaker(new Date('2027-01-01T00:00:00Z'), 0)
export const anId = <K extends Parameters<typeof idFromUuid>[0]>(kind: K) =>
  idFromUuid(kind, 'test', nextUuid())

export const draw: Draw = { invoice: () => anId('invoice'), change: () => anId('subscription_change') }

export type Span = { kind: SpanKind; startAt: Date; endAt: Date | null; invoiceId: Id<'invoice'> | null }
export type WorldInvoice = {
  draft: InvoiceDraft
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  inFlight: boolean
  overdue: boolean
  /** The invoice of the period in which it was made, or itself. */
  periodOf: Id<'invoice'> | null
}

export type World = {
  now: Date
  subscription: Subscription
  spans: Span[]
  invoices: Map<Id<'invoice'>, WorldInvoice>
  pending: LineDraft[]
  releases: Release[]
  told: string[]
  /** Which items it had, and from when on. */
  items: { at: Date; items: readonly Item[] }[]
  refunded: bigint
}

export function anItem(unitAmountDecimal: string, quantity = 1): Item {
  const ids = { id: anId('subscription_item'), priceId: anId('price'), productId: anId('product') }
  return { ...ids, unitAmountDecimal, quantity, metadata: {} }
}

export function newborn(
  startedAt: Date,
  terms: Partial<Terms> = {},
  trial: Trial | null = null,
): Subscription {
  return {
    customerId: anId('customer'),
    currency: 'usd',
    interval: { unit: 'month', count: 1 },
    items: [anItem('2999')],
    paymentMethodId: anId('payment_method'),
    paymentRouteId: null,
    dunningPolicyId: null,
    description: null,
    metadata: {},
    activationPolicy: 'on_payment',
    anchorWish: { dayOfMonth: null, timeZone: 'UTC', stub: 'prorate' },
    testClockId: null,
    ...terms,
    ...{ ...unborn, id: anId('subscription'), trial, scheduledChange: null },
    ...{ accountedAt: startedAt, startedAt, createdAt: startedAt, updatedAt: startedAt },
    ...{ version: 1, sequence: 1 },
  }
}

export function begin(subscription: Subscription): World {
  const world: World = {
    ...{ now: subscription.startedAt, subscription, spans: [], invoices: new Map(), pending: [] },
    ...{ releases: [], told: [], items: [{ at: subscription.startedAt, items: subscription.items }] },
    refunded: 0n,
  }
  const moment = { at: world.now, now: world.now, draw }
  const scene = { subscription, money: moneyOf(world) }
  apply(world, withNextAction(scene, create(subscription, moment)), world.now)
  return world
}

export function sceneOf(world: World): Scene {
  return { subscription: world.subscription, money: moneyOf(world) }
}

function moneyOf({ subscription, invoices, pending }: World): MoneyFacts {
  const currentId = subscription.currentPeriod?.invoiceId ?? null
  const current = currentId === null ? undefined : invoices.get(currentId)
  const open = [...invoices].filter(([, { status, draft }]) => status === 'open' && totalOf(draft.lines) > 0n)
  const ofPeriod = [...invoices.values()].filter(
    ({ periodOf }) => currentId !== null && periodOf === currentId,
  )
  return {
    current:
      currentId === null || current === undefined
        ? null
        : { id: currentId, status: current.status, inFlight: current.inFlight },
    paidForPeriod: paidBy(ofPeriod),
    open: open.map(([id]) => id),
    overdue: open.filter(([, { overdue }]) => overdue).map(([id]) => id),
    pending,
  }
}

/** Positive totals that were paid, less what was given back. */
function paidBy(invoices: readonly WorldInvoice[]): bigint {
  const sum = invoices
    .filter(({ status }) => status === 'paid')
    .reduce((paid, { draft }) => paid + totalOf(draft.lines), 0n)
  return sum < 0n ? 0n : sum
}

export function ask(world: World, command: Command): void {
  const moment = { at: world.now, now: world.now, draw }
  apply(world, planCommand(sceneOf(world), command, moment), world.now)
}

export function tell(world: World, news: News): void {
  apply(world, planNews(sceneOf(world), news, { at: world.now, now: world.now, draw }), world.now)
}

/** Does one thing that is due; says whether there was one. */
export function advanceOnce(world: World): boolean {
  const plan = planAdvance(sceneOf(world), { at: world.now, now: world.now, draw })
  apply(world, plan, world.now)
  return plan.steps.length > 0
}

/** Lets time pass, and does what is due on the way when it is due. */
export function pass(world: World, seconds: number): void {
  const until = addSeconds(world.now, seconds)
  for (let due = nextDue(sceneOf(world)); due !== null && due.at <= until; due = nextDue(sceneOf(world))) {
    if (due.at > world.now) world.now = due.at
    if (!advanceOnce(world)) break
  }
  world.now = until
}

/** What a store does with a plan. */
export function apply(world: World, plan: Plan, at: Date): void {
  const before = world.subscription.currentPeriod?.invoiceId ?? null
  for (const step of plan.steps) applyStep(world, step, at)
  for (const draft of plan.invoices) {
    const periodOf =
      draft.period === null ? (world.subscription.currentPeriod?.invoiceId ?? before) : draft.id
    const status = totalOf(draft.lines) <= 0n ? 'paid' : 'open'
    world.invoices.set(draft.id, { draft, status, periodOf, inFlight: false, overdue: false })
  }
  if (plan.takesPending) world.pending = []
  world.pending.push(...plan.pendingLines)
  for (const id of plan.voids) makeVoid(world, id)
  world.releases.push(...plan.releases)
  world.refunded += plan.refund?.amount ?? 0n
  for (const change of plan.spans) changeSpans(world, change)
}

function applyStep(world: World, { telling, after }: Plan['steps'][number], at: Date): void {
  const before = world.subscription
  if (before.items !== after.items) {
    const changedAt = after.accountedAt > before.accountedAt ? after.accountedAt : at
    world.items.push({ at: changedAt, items: after.items })
  }
  world.subscription = { ...after, version: before.version + 1 }
  world.told.push(telling)
}

function makeVoid({ invoices }: World, id: Id<'invoice'>): void {
  const invoice = invoices.get(id)
  if (invoice !== undefined && invoice.status === 'open' && !invoice.inFlight) invoice.status = 'void'
}

function changeSpans(world: World, change: Plan['spans'][number]): void {
  if (change.is === 'freed') {
    world.spans = world.spans.filter(({ invoiceId }) => invoiceId !== change.invoiceId)
    return
  }
  if (change.is === 'cut') {
    world.spans = world.spans
      .filter(({ startAt }) => startAt < change.at)
      .map((span) => (span.endAt === null || span.endAt > change.at ? { ...span, endAt: change.at } : span))
    return
  }
  const { kind, startAt, endAt, invoiceId } = change
  const clash = world.spans.find(
    (span) => (span.endAt === null || span.endAt > startAt) && (endAt === null || span.startAt < endAt),
  )
  if (clash !== undefined)
    throw new Error(`overlap of ${JSON.stringify(clash)} and ${JSON.stringify(change)}`)
  if (endAt !== null && endAt <= startAt) throw new Error(`empty span ${JSON.stringify(change)}`)
  if ((kind === 'cycle') !== (invoiceId !== null))
    throw new Error('a cycle has an invoice, and nothing else has')
  world.spans.push({ kind, startAt, endAt, invoiceId })
}

/** The invoice that an activation waits for is paid, or declined. */
export function settleActivation(world: World, isPaid: boolean): void {
  const id = world.subscription.activation?.invoiceId
  const invoice = id == null ? undefined : world.invoices.get(id)
  if (invoice === undefined || invoice.status !== 'open') return
  invoice.inFlight = false
  if (isPaid) invoice.status = 'paid'
  tell(world, isPaid ? { is: 'paid' } : { is: 'declined', paymentId: null, decline: null })
}
