/** The clock stops, for a while or for good. What was billed and is not lived is kept, given back or forfeited. */
import {
  type CancellationReason,
  type CancelWish,
  isActivating,
  type PauseReason,
  type PauseWish,
  type Subscription,
} from '../subscription.ts'
import { type Leaving, leave } from './leave.ts'
import { type Moment, nothing, type Plan, type Scene, type SpanChange, told } from './scene.ts'

/** Paused from now on. */
export function stopped(scene: Scene, moment: Moment, wish: PauseWish & { reason: PauseReason }): Plan {
  const { subscription, money } = scene
  const { at } = moment
  const { reason, resumesAt, openInvoices, unusedTime } = wish
  const unwound = unwind(scene, moment)
  const voids = openInvoices === 'void' ? money.open : []
  const left = leave(unwound.scene, moment, { unusedTime, voids, reason: 'change' })
  const remainingSeconds = left.keptSeconds
  const after: Subscription = {
    ...{ ...unwound.scene.subscription, ...latest(subscription, left), status: 'paused' },
    ...(remainingSeconds > 0 || unwound.isWaiting ? {} : { currentPeriod: null }),
    pause: { reason, pausedAt: at, resumesAt, openInvoices, unusedTime, remainingSeconds },
    scheduledChange: subscription.scheduledChange?.action === 'pause' ? null : subscription.scheduledChange,
  }
  const paused: SpanChange = { is: 'added', kind: 'paused', startAt: at, endAt: null, invoiceId: null }
  return {
    ...{ ...nothing, ...told('paused', after), invoices: left.invoices, releases: left.releases },
    spans: [...unwound.spans, { is: 'cut', at }, paused],
    voids: [...new Set([...unwound.voids, ...voids])],
    collection: openInvoices === 'stop' ? 'hold' : null,
  }
}

const asUsual: CancelWish = { unusedTime: 'forfeit', openInvoices: 'stop', feedback: null }

/** Cancelled from now on, for good. Nothing that was scheduled happens any more. */
export function ended(
  scene: Scene,
  moment: Moment,
  reason: CancellationReason,
  { unusedTime, openInvoices, feedback }: CancelWish = asUsual,
): Plan {
  const { subscription, money } = scene
  const { at, now } = moment
  const unwound = unwind(scene, moment)
  const voids = openInvoices === 'void' ? money.open : []
  const left = leave(unwound.scene, moment, { unusedTime, voids, reason: 'cancel' })
  const after: Subscription = {
    ...{ ...unwound.scene.subscription, ...latest(subscription, left), status: 'cancelled' },
    ...{ pause: null, currentPeriod: null, scheduledChange: null },
    ...(unwound.isWaiting ? { activation: expired(subscription) } : {}),
    ...{ cancellation: { reason, feedback }, cancelledAt: now, endedAt: at },
  }
  return {
    ...{ ...nothing, ...told('cancelled', after), invoices: left.invoices, releases: left.releases },
    spans: [...unwound.spans, { is: 'cut', at }],
    voids: [...new Set([...unwound.voids, ...voids])],
    collection: openInvoices === 'stop' ? 'hold' : null,
    refund: left.refund,
  }
}

/** A payment of it is under way: if it comes, it goes back. */
function expired({ activation }: Subscription): Subscription['activation'] {
  return activation === null ? null : { ...activation, state: 'expired', expiresAt: null }
}

function latest({ latestInvoiceId }: Subscription, { invoices }: Leaving) {
  return { latestInvoiceId: invoices.at(-1)?.id ?? latestInvoiceId }
}

type Unwound = {
  /** As if nothing had been billed yet, if it was not paid. */
  readonly scene: Scene
  readonly spans: readonly SpanChange[]
  readonly voids: Plan['voids']
  /** Whether a payment of it is under way, and is to be heard of first. */
  readonly isWaiting: boolean
}

/** A payment was waited for. It is not any more, unless it is under way; the time since was lived unbilled. */
function unwind(scene: Scene, { at }: Moment): Unwound {
  const { subscription, money } = scene
  const { activation, currentPeriod, status } = subscription
  const invoiceId = isActivating(subscription) ? (activation?.invoiceId ?? null) : null
  if (invoiceId === null || invoiceId !== currentPeriod?.invoiceId)
    return { scene, spans: [], voids: [], isWaiting: false }
  const isWaiting = money.current?.inFlight === true
  const { startAt } = currentPeriod
  const kind = status === 'paused' ? 'paused' : 'trial'
  const lived: SpanChange = { is: 'added', kind, startAt, endAt: at, invoiceId: null }
  const before = { ...subscription, ...(isWaiting ? {} : { activation: null, currentPeriod: null }) }
  return {
    isWaiting,
    scene: { subscription: before, money: { ...money, current: null } },
    // Paused while its first payment was under way, it was freed of its time already.
    spans: isFreed(subscription) ? [] : [{ is: 'freed', invoiceId }, ...(startAt < at ? [lived] : [])],
    voids: isWaiting ? [] : [invoiceId],
  }
}

/** Whether the time of its period was given back when it was paused, to be lived as a whole later. */
export function isFreed({ status, activation }: Subscription): boolean {
  return status === 'paused' && activation?.purpose === 'start'
}
