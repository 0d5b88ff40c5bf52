/** What is due is done in its order, each at the time at which it fell due: a late worker changes nothing. */

import { boundary } from '../../../kernel/calendar.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { step } from '../../../kernel/machine.ts'
import { subscriptionMachine } from '../machine.ts'
import type { Subscription } from '../subscription.ts'
import { changeAtBoundary } from './change.ts'
import { type Due, type DueAction, nextDue } from './due.ts'
import { factsOf } from './facts.ts'
import { enter, followingPeriod } from './period.ts'
import { resume } from './resume.ts'
import { type Draw, joined, type Moment, nothing, type Plan, type Scene, sceneAfter, told } from './scene.ts'
import { endTrial, expireActivation } from './start.ts'
import { ended, stopped } from './stop.ts'

/** So many periods at once are a fault somewhere, not a wish to be charged for all of them. */
export const maxOverduePeriods = 24

/** Ten years of days. */
const maxTurns = 3_660

/** The next thing that is due, if any is. */
export function advance(scene: Scene, now: Date, draw: Draw): Plan {
  const due = nextDue(scene)
  if (due === null || due.at > now) return nothing
  if (isRunaway(scene.subscription, due, now)) return parked(scene.subscription, now)
  return acts[due.action](scene, { at: due.at, now, draw })
}

/** Everything that is due. */
export function catchUp(scene: Scene, now: Date, draw: Draw): Plan {
  let plan = nothing
  // It ends: each turn leaves what is due later, or ends or parks the subscription.
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const next = advance(sceneAfter(scene, plan), now, draw)
    if (next.steps.length === 0) return plan
    plan = joined(plan, next)
  }
  return plan
}

const acts: { readonly [A in DueAction]: (scene: Scene, moment: Moment) => Plan } = {
  cancel: (scene, moment) => {
    const change = scene.subscription.scheduledChange
    return change?.action === 'cancel' ? ended(scene, moment, 'requested', change.payload) : nothing
  },
  pause: (scene, moment) => {
    const change = scene.subscription.scheduledChange
    if (change?.action !== 'pause') return nothing
    const { resumesAt } = change.payload
    // The period ends later than it did when the pause was asked for: it would be over before it began.
    if (resumesAt !== null && resumesAt <= moment.at)
      return { ...nothing, ...told('updated', { ...scene.subscription, scheduledChange: null }) }
    return stopped(scene, moment, { ...change.payload, reason: 'requested' })
  },
  resume: (scene, moment) => resume(scene, moment, { openInvoices: 'collect' }),
  update: (scene, moment) => {
    const change = scene.subscription.scheduledChange
    return change?.action === 'update' ? changeAtBoundary(scene, moment, change.payload) : nothing
  },
  trial_end: endTrial,
  activation_expiry: expireActivation,
  renewal: renew,
  notice: ({ subscription }) => ({
    ...nothing,
    ...told('trial_will_end', { ...subscription, trialNotices: subscription.trialNotices + 1 }),
  }),
}

function renew(scene: Scene, moment: Moment): Plan {
  const { subscription } = scene
  const { anchor, status } = subscription
  if (anchor === null) return nothing
  const row = step(subscriptionMachine, { state: status, trigger: 'period_ended', facts: factsOf(scene) })
  const { entered, span, invoices, takesPending } = enter(
    scene,
    followingPeriod(subscription, anchor),
    moment,
    { reason: 'cycle', collect: 'spread' },
  )
  const after = { ...subscription, ...entered, status: row.to }
  return { ...nothing, ...told('renewed', after), spans: [span], invoices, takesPending }
}

function isRunaway(subscription: Subscription, { action, at }: Due, now: Date): boolean {
  const { anchor, interval, currentPeriod, unparkedAt } = subscription
  if (action !== 'renewal' || anchor === null || currentPeriod === null) return false
  // Cheap for whoever is on time: only a day late is looked at more closely. What somebody looked at is meant.
  if (now < addSeconds(at, 86_400) || (unparkedAt !== null && at <= unparkedAt)) return false
  const next = currentPeriod.epoch === anchor.epoch ? currentPeriod.index + 1 : 0
  return boundary(anchor, interval, next + maxOverduePeriods) <= now
}

function parked(subscription: Subscription, now: Date): Plan {
  const reason = 'too_many_overdue_periods'
  return { ...nothing, ...told('parked', { ...subscription, parked: { reason, at: now } }) }
}
