/** Plans the resumption of a subscription. Kept time is used before a new period is billed. */
import { anchorAt } from '../../../../kernel/calendar.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { subscriptionMachine } from '../machine.ts'
import {
  type CurrentPeriod,
  isActivating,
  type Pause,
  type Subscription,
  type Trial,
} from '../subscription.ts'
import { noticesBefore } from './due.ts'
import { factsOf } from './facts.ts'
import { lengthOf, nextEpoch } from './period.ts'
import {
  emptyPlan,
  type Plan,
  type PlanContext,
  type Snapshot,
  snapshotAfter,
  withEvent,
} from './snapshot.ts'
import { openResumption } from './start.ts'
import { hasFreedPeriod } from './stop.ts'

export type ResumeOptions = { readonly openInvoices: 'collect' | 'keep' | 'void' }

export function planResume(snapshot: Snapshot, context: PlanContext, { openInvoices }: ResumeOptions): Plan {
  const { subscription, money } = snapshot
  const voids = openInvoices === 'void' ? money.open : []
  // Voided invoices are no longer owed, and time that they billed is not kept.
  const afterVoids = snapshotAfter(withoutVoided(snapshot, voids), { ...emptyPlan, voids })
  const row = nextTransition(subscriptionMachine, {
    state: subscription.status,
    trigger: 'resume',
    facts: factsOf(afterVoids),
  })
  if (subscription.status !== 'paused') return dropScheduledPause(subscription)
  const effect = row.effects[0]
  const plan =
    effect === 'collect_overdue'
      ? collectOverdueFirst(afterVoids)
      : effect === 'open_activation'
        ? openResumptionOnce(afterVoids, context)
        : continuePeriod(afterVoids.subscription, context)
  return { ...plan, voids, collection: openInvoices === 'collect' ? 'release' : null }
}

function withoutVoided(snapshot: Snapshot, voids: Plan['voids']): Snapshot {
  const { subscription } = snapshot
  const { pause, currentPeriod } = subscription
  if (pause === null || currentPeriod === null || !voids.includes(currentPeriod.invoiceId)) return snapshot
  return {
    ...snapshot,
    subscription: { ...subscription, currentPeriod: null, pause: { ...pause, remainingSeconds: 0 } },
  }
}

function dropScheduledPause(subscription: Subscription): Plan {
  if (subscription.scheduledChange?.action !== 'pause') return emptyPlan
  return { ...emptyPlan, ...withEvent('updated', { ...subscription, scheduledChange: null }) }
}

/** Retries the overdue invoices now; the subscription resumes when the last one is paid. */
function collectOverdueFirst({ subscription, money }: Snapshot): Plan {
  const pause = subscription.pause as Pause
  const withoutResumeDate = { ...subscription, pause: { ...pause, resumesAt: null } }
  return {
    ...emptyPlan,
    attempts: money.overdue,
    ...(pause.resumesAt === null ? {} : withEvent('updated', withoutResumeDate)),
  }
}

/** A repeated request does not bill another period, but waits for the same payment. */
function openResumptionOnce(snapshot: Snapshot, context: PlanContext): Plan {
  const { activation, currentPeriod } = snapshot.subscription
  if (!isActivating({ activation }) || currentPeriod === null) return openResumption(snapshot, context)
  return hasFreedPeriod(snapshot.subscription) ? resumeOncePaid(snapshot.subscription, context) : emptyPlan
}

/**
 * Resumes a subscription that was paused while its payment was in progress. It resumes once the outcome is
 * known: with the period of that payment, or with a new one.
 */
function resumeOncePaid(subscription: Subscription, { at }: PlanContext): Plan {
  const pause = subscription.pause as Pause
  if (pause.resumesAt !== null && pause.resumesAt <= at) return emptyPlan
  return { ...emptyPlan, ...withEvent('updated', { ...subscription, pause: { ...pause, resumesAt: at } }) }
}

/** Continues the period or the trial, whose end moves by the length of the pause. */
function continuePeriod(subscription: Subscription, { at }: PlanContext): Plan {
  const { remainingSeconds } = subscription.pause as Pause
  const endAt = addSeconds(at, remainingSeconds)
  const running = { ...subscription, pause: null, accountedAt: at }
  const period = subscription.currentPeriod
  const after: Subscription =
    period === null
      ? { ...running, status: 'trialing', ...movedTrial(subscription, at, endAt) }
      : { ...running, status: 'active', ...movedPeriod(subscription, period, endAt) }
  const kind = period === null ? 'trial' : 'cycle'
  const invoiceId = period?.invoiceId ?? null
  const spans = [
    { action: 'truncate', at },
    { action: 'add', kind, startAt: at, endAt, invoiceId },
  ] as const
  return { ...emptyPlan, ...withEvent('resumed', after), spans }
}

function movedTrial({ trial }: Subscription, at: Date, endAt: Date) {
  return { trial: { ...(trial as Trial), endAt }, trialNotices: noticesBefore(at, endAt) }
}

/** Moves the period without changing its length, which is the denominator of prorations. */
function movedPeriod(
  { anchor, requestedAnchor, activation }: Subscription,
  period: CurrentPeriod,
  endAt: Date,
) {
  const timeZone = anchor?.timeZone ?? requestedAnchor.timeZone
  return {
    anchor: anchorAt(endAt, timeZone, nextEpoch(anchor)),
    currentPeriod: { ...period, endAt, nominalStartAt: addSeconds(endAt, -lengthOf(period)) },
    activation: activation === null ? null : { ...activation, state: 'done' as const, expiresAt: null },
  }
}
