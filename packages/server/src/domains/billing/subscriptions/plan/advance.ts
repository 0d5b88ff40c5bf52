/**
 * Plans due actions in order, each at the time it was due, so that a late worker does not change the result.
 */

import { boundary } from '../../../../kernel/calendar.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { subscriptionMachine } from '../machine.ts'
import type { Subscription } from '../subscription.ts'
import { changeAtBoundary } from './change.ts'
import { type Due, type DueAction, nextDue } from './due.ts'
import { factsOf } from './facts.ts'
import { enterPeriod, followingPeriod } from './period.ts'
import { planResume } from './resume.ts'
import {
  concatPlans,
  emptyPlan,
  type IdFactory,
  type Plan,
  type PlanContext,
  type Snapshot,
  snapshotAfter,
  withEvent,
} from './snapshot.ts'
import { endTrial, expireActivation } from './start.ts'
import { planCancellation, planPause } from './stop.ts'

/**
 * This many overdue periods indicate an error, so the subscription is parked instead of being charged for all
 * of them.
 */
export const maxOverduePeriods = 24

/** The maximum number of actions: one per day for ten years. */
const maxIterations = 3_660

/** Plans the next due action, if any. */
export function planDueAction(snapshot: Snapshot, now: Date, ids: IdFactory): Plan {
  const due = nextDue(snapshot)
  if (due === null || due.at > now) return emptyPlan
  if (hasTooManyOverduePeriods(snapshot.subscription, due, now))
    return planParking(snapshot.subscription, now)
  return planners[due.action](snapshot, { at: due.at, now, ids })
}

/** Plans all due actions. */
export function planAllDue(snapshot: Snapshot, now: Date, ids: IdFactory): Plan {
  let plan = emptyPlan
  // Terminates: each iteration leaves only later actions, or ends or parks the subscription.
  for (let iteration = 0; iteration < maxIterations; iteration += 1) {
    const next = planDueAction(snapshotAfter(snapshot, plan), now, ids)
    if (next.steps.length === 0) return plan
    plan = concatPlans(plan, next)
  }
  return plan
}

const planners: { readonly [A in DueAction]: (snapshot: Snapshot, context: PlanContext) => Plan } = {
  cancel: (snapshot, context) => {
    const change = snapshot.subscription.scheduledChange
    return change?.action === 'cancel'
      ? planCancellation(snapshot, context, 'requested', change.payload)
      : emptyPlan
  },
  pause: (snapshot, context) => {
    const change = snapshot.subscription.scheduledChange
    if (change?.action !== 'pause') return emptyPlan
    const { resumesAt } = change.payload
    // The period ends later than it did when the pause was scheduled, so the pause would end before it
    // starts.
    if (resumesAt !== null && resumesAt <= context.at)
      return { ...emptyPlan, ...withEvent('updated', { ...snapshot.subscription, scheduledChange: null }) }
    return planPause(snapshot, context, { ...change.payload, reason: 'requested' })
  },
  resume: (snapshot, context) => planResume(snapshot, context, { openInvoices: 'collect' }),
  update: (snapshot, context) => {
    const change = snapshot.subscription.scheduledChange
    return change?.action === 'update' ? changeAtBoundary(snapshot, context, change.payload) : emptyPlan
  },
  trial_end: endTrial,
  activation_expiry: expireActivation,
  renewal: planRenewal,
  notice: ({ subscription }) => ({
    ...emptyPlan,
    ...withEvent('trial_will_end', { ...subscription, trialNotices: subscription.trialNotices + 1 }),
  }),
}

function planRenewal(snapshot: Snapshot, context: PlanContext): Plan {
  const { subscription } = snapshot
  const { anchor, status } = subscription
  if (anchor === null) return emptyPlan
  const row = nextTransition(subscriptionMachine, {
    state: status,
    trigger: 'period_ended',
    facts: factsOf(snapshot),
  })
  const { changes, span, invoices, includesPendingLines } = enterPeriod(
    snapshot,
    followingPeriod(subscription, anchor),
    context,
    { reason: 'cycle', collect: 'spread' },
  )
  const after = { ...subscription, ...changes, status: row.to }
  return { ...emptyPlan, ...withEvent('renewed', after), spans: [span], invoices, includesPendingLines }
}

function hasTooManyOverduePeriods(subscription: Subscription, { action, at }: Due, now: Date): boolean {
  const { anchor, interval, currentPeriod, unparkedAt } = subscription
  if (action !== 'renewal' || anchor === null || currentPeriod === null) return false
  // Keep the usual case cheap: check only renewals that are more than a day late and were not released by an
  // unpark request.
  if (now < addSeconds(at, 86_400) || (unparkedAt !== null && at <= unparkedAt)) return false
  const next = currentPeriod.epoch === anchor.epoch ? currentPeriod.index + 1 : 0
  return boundary(anchor, interval, next + maxOverduePeriods) <= now
}

function planParking(subscription: Subscription, now: Date): Plan {
  const reason = 'too_many_overdue_periods'
  return { ...emptyPlan, ...withEvent('parked', { ...subscription, parked: { reason, at: now } }) }
}
