/**
 * What a plan is made from, and what it is. A plan is data: the states that a subscription passes through, each
 * with the event that tells of it, the time it lives, and the money that is wanted. Showing a plan is a preview,
 * storing it is the act, so the two cannot differ.
 */
import type { Id } from '../../../kernel/id.ts'
import type { InvoiceDraft, LineDraft } from '../../../kernel/invoice-lines.ts'
import type { Subscription } from '../subscription.ts'

/** What plans know of invoices. */
export type MoneyFacts = {
  /** The invoice of the period that runs. */
  readonly current: InvoiceFacts | null
  /** What was paid for the rest of that period, at most: by its invoice and by changes since. */
  readonly paidForPeriod: bigint
  /** Invoices that are neither paid nor given up, the oldest first. */
  readonly open: readonly Id<'invoice'>[]
  /** Those of them that were tried in vain, the oldest first. */
  readonly overdue: readonly Id<'invoice'>[]
  /** Lines that wait for the next invoice. */
  readonly pending: readonly LineDraft[]
}

export type InvoiceFacts = {
  readonly id: Id<'invoice'>
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Whether a payment of it has begun and not ended. */
  readonly inFlight: boolean
}

export const noMoney: MoneyFacts = {
  ...{ current: null, paidForPeriod: 0n, open: [], overdue: [], pending: [] },
}

/** A subscription and what is known beside it. */
export type Scene = { readonly subscription: Subscription; readonly money: MoneyFacts }

/** `at` is when something takes effect, `now` when it is done: work may come late. */
export type Moment = { readonly at: Date; readonly now: Date; readonly draw: Draw }

/** Names for what a plan makes. A preview's are thrown away. */
export type Draw = {
  readonly invoice: () => Id<'invoice'>
  readonly change: () => Id<'subscription_change'>
}

export const tellings = [
  ...(['created', 'activated', 'activation_required', 'activation_expired', 'trial_will_end'] as const),
  ...(['updated', 'renewed', 'paused', 'resumed', 'cancel_scheduled', 'cancelled'] as const),
  ...(['past_due', 'recovered', 'unpaid', 'parked', 'unparked'] as const),
] as const
export type Telling = (typeof tellings)[number]

export type SpanKind = 'trial' | 'cycle' | 'paused'

/** A change of the time that is accounted for. In order. */
export type SpanChange =
  /** Nothing of it lies behind `at` any more. */
  | { readonly is: 'cut'; readonly at: Date }
  /** The time that this invoice would have billed is free again. */
  | { readonly is: 'freed'; readonly invoiceId: Id<'invoice'> }
  | {
      readonly is: 'added'
      readonly kind: SpanKind
      readonly startAt: Date
      /** Null: until something happens. */
      readonly endAt: Date | null
      readonly invoiceId: Id<'invoice'> | null
    }

/** Time of a period that was billed and is not lived in it, and what became of it. */
export type Release = {
  readonly invoiceId: Id<'invoice'>
  readonly seconds: number
  readonly as: 'kept' | 'credited' | 'refunded' | 'forfeited'
}

export type Step = { readonly telling: Telling; readonly after: Subscription }

export type Plan = {
  /** The states it passes through; none if there is nothing to do. */
  readonly steps: readonly Step[]
  readonly spans: readonly SpanChange[]
  readonly invoices: readonly InvoiceDraft[]
  /** Lines that wait for the next invoice from now on. */
  readonly pendingLines: readonly LineDraft[]
  /** Whether an invoice of this plan took the lines that waited. */
  readonly takesPending: boolean
  /** Invoices that nobody shall pay any more, as far as nobody is paying them at this moment. */
  readonly voids: readonly Id<'invoice'>[]
  /** Whether invoices that are open are tried from now on. */
  readonly collection: 'hold' | 'release' | null
  /** Overdue invoices that are tried again at once, the oldest first. */
  readonly attempts: readonly Id<'invoice'>[]
  readonly refund: { readonly invoiceId: Id<'invoice'>; readonly amount: bigint } | null
  readonly releases: readonly Release[]
}

export const nothing: Plan = {
  ...{ steps: [], spans: [], invoices: [], pendingLines: [], takesPending: false },
  ...{ voids: [], collection: null, attempts: [], refund: null, releases: [] },
}

/** One plan after the other. */
export function joined(first: Plan, second: Plan): Plan {
  return {
    steps: [...first.steps, ...second.steps],
    spans: [...first.spans, ...second.spans],
    invoices: [...first.invoices, ...second.invoices],
    pendingLines: second.takesPending ? second.pendingLines : [...first.pendingLines, ...second.pendingLines],
    takesPending: first.takesPending || second.takesPending,
    voids: [...first.voids, ...second.voids],
    collection: second.collection ?? first.collection,
    attempts: [...first.attempts, ...second.attempts],
    refund: second.refund ?? first.refund,
    releases: [...first.releases, ...second.releases],
  }
}

/** How things stand when the plan is done. */
export function sceneAfter(scene: Scene, plan: Plan): Scene {
  const subscription = plan.steps.at(-1)?.after ?? scene.subscription
  return { subscription, money: moneyAfter(scene.money, plan, subscription) }
}

function moneyAfter(before: MoneyFacts, plan: Plan, { currentPeriod }: Subscription): MoneyFacts {
  const voided = new Set(plan.voids)
  const invoiceId = currentPeriod?.invoiceId ?? null
  const isSame = invoiceId !== null && before.current?.id === invoiceId
  const kept = before.current !== null && isSame ? before.current : null
  const drafted = plan.invoices.map(({ id }) => id)
  return {
    current: kept ?? (invoiceId === null ? null : { id: invoiceId, status: 'draft', inFlight: false }),
    paidForPeriod: isSame ? before.paidForPeriod : 0n,
    open: [...before.open, ...drafted].filter((id) => !voided.has(id)),
    overdue: before.overdue.filter((id) => !voided.has(id)),
    pending: [...(plan.takesPending ? [] : before.pending), ...plan.pendingLines],
  }
}

export function told(telling: Telling, after: Subscription): Pick<Plan, 'steps'> {
  return { steps: [{ telling, after }] }
}
