/** What callers ask for: now, at the end of the period, or at a time of their own. */
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { canonical } from '../../../kernel/json.ts'
import { isChange, step } from '../../../kernel/machine.ts'
import { subscriptionMachine, type Trigger } from '../machine.ts'
import {
  type CancelWish,
  isActivating,
  isInTrial,
  type Pause,
  type PauseWish,
  type ScheduledChange,
  type Subscription,
  type Terms,
  type Trial,
  type UpdateWish,
} from '../subscription.ts'
import { changeItems, type ProrationBehaviour } from './change.ts'
import { noticesBefore, periodEnd } from './due.ts'
import { factsOf } from './facts.ts'
import { type ResumeWish, resume } from './resume.ts'
import { type Moment, nothing, type Plan, type Scene, sceneAfter, told } from './scene.ts'
import { withdrawn } from './start.ts'
import { ended, stopped } from './stop.ts'

export type When = 'now' | 'period_end' | Date

export type Settings = Partial<
  Pick<
    Terms,
    'paymentMethodId' | 'paymentRouteId' | 'dunningPolicyId' | 'description' | 'metadata' | 'activationPolicy'
  >
>

export type Update = {
  readonly settings: Settings
  readonly items: UpdateWish | null
  readonly behaviour: ProrationBehaviour
  /** From when on the items are others; null: now. */
  readonly changedAt: Date | null
  readonly trialEndAt: Date | null
  readonly withdraws: boolean
}

export type Command =
  | { readonly is: 'pause'; readonly at: When; readonly wish: PauseWish }
  | { readonly is: 'resume'; readonly at: 'now' | Date; readonly wish: ResumeWish }
  | { readonly is: 'cancel'; readonly at: When; readonly wish: CancelWish }
  | { readonly is: 'update'; readonly wish: Update }

export function command(scene: Scene, moment: Moment, asked: Command): Plan {
  // What has no row is refused, before anything is looked at.
  requireRow(scene, asked.is)
  switch (asked.is) {
    case 'pause':
      return pause(scene, moment, asked.at, asked.wish)
    case 'resume':
      return asked.at === 'now' ? resume(scene, moment, asked.wish) : resumeLater(scene, moment, asked.at)
    case 'cancel':
      return cancel(scene, moment, asked.at, asked.wish)
    case 'update':
      return update(scene, moment, asked.wish)
  }
}

function requireRow(scene: Scene, trigger: Trigger): void {
  step(subscriptionMachine, { state: scene.subscription.status, trigger, facts: factsOf(scene) })
}

function pause(scene: Scene, moment: Moment, at: When, wish: PauseWish): Plan {
  const { subscription } = scene
  const begins = beginningOf(subscription, moment.at, at)
  if (wish.resumesAt !== null && wish.resumesAt <= begins)
    refuseMember('/resumes_at', 'too_small', 'must be later than the pause')
  if (subscription.status === 'paused') return pauseAgain(scene, moment, wish)
  if (at === 'now') return stopped(scene, moment, { ...wish, reason: 'requested' })
  return schedule(subscription, moment, { action: 'pause', at, payload: wish })
}

function beginningOf(subscription: Subscription, now: Date, at: When): Date {
  if (at === 'now' || subscription.status === 'paused') return now
  return at === 'period_end' ? (periodEnd(subscription) ?? now) : at
}

/** It is paused. What can be new is when it ends, or that a resumption which waits for money is not wanted any more. */
function pauseAgain(scene: Scene, moment: Moment, { resumesAt }: PauseWish): Plan {
  const isWaiting = isActivating(scene.subscription) && scene.subscription.activation?.purpose === 'resume'
  const back = isWaiting ? withdrawn(scene, moment) : nothing
  const { subscription } = sceneAfter(scene, back)
  const current = subscription.pause as Pause
  const isMoved = current.resumesAt?.getTime() !== resumesAt?.getTime()
  if (!isMoved && back.steps.length === 0) return nothing
  return { ...back, ...told('updated', { ...subscription, pause: { ...current, resumesAt } }) }
}

function resumeLater(scene: Scene, moment: Moment, at: Date): Plan {
  const { subscription } = scene
  if (at <= moment.at) refuseMember('/at', 'too_small', 'must be a time to come, or "now"')
  const row = step(subscriptionMachine, {
    state: subscription.status,
    trigger: 'resume',
    facts: factsOf(scene),
  })
  if (subscription.pause === null)
    return isChange(row) ? resume(scene, moment, { openInvoices: 'keep' }) : nothing
  if (subscription.pause.resumesAt?.getTime() === at.getTime()) return nothing
  return {
    ...nothing,
    ...told('updated', { ...subscription, pause: { ...subscription.pause, resumesAt: at } }),
  }
}

function cancel(scene: Scene, moment: Moment, at: When, wish: CancelWish): Plan {
  if (at === 'now') return ended(scene, moment, 'requested', wish)
  return schedule(scene.subscription, moment, { action: 'cancel', at, payload: wish })
}

/** At most one at a time. A cancellation replaces any other, and nothing replaces a cancellation. */
export function schedule(subscription: Subscription, moment: Moment, change: ScheduledChange): Plan {
  const { scheduledChange: waiting } = subscription
  if (waiting?.action === 'cancel' && change.action !== 'cancel') refuse('scheduled_change_conflict')
  if (change.at !== 'period_end' && change.at <= moment.at)
    refuseMember('/at', 'too_small', 'must be a time to come, "now" or "period_end"')
  if (canonical(waiting) === canonical(change)) return nothing
  const after = { ...subscription, scheduledChange: change }
  return { ...nothing, ...told(change.action === 'cancel' ? 'cancel_scheduled' : 'updated', after) }
}

function update(scene: Scene, moment: Moment, wish: Update): Plan {
  const { subscription } = scene
  const settled: Subscription = {
    ...{ ...subscription, ...wish.settings },
    ...(wish.withdraws ? { scheduledChange: null } : {}),
  }
  const moved = wish.trialEndAt === null ? null : moveTrial(settled, moment, wish.trialEndAt)
  const base = moved?.steps[0]?.after ?? settled
  const changed = wish.items === null ? null : otherItems({ ...scene, subscription: base }, moment, wish)
  const after = changed?.steps.at(-1)?.after ?? base
  if (canonical(after) === canonical(subscription)) return nothing
  const telling = changed?.steps.at(-1)?.telling ?? 'updated'
  return {
    ...(changed ?? nothing),
    ...told(telling, after),
    spans: [...(moved?.spans ?? []), ...(changed?.spans ?? [])],
  }
}

function otherItems(scene: Scene, moment: Moment, { items, behaviour, changedAt }: Update): Plan {
  const { subscription } = scene
  const wish = items as UpdateWish
  if (canonical(wish) === canonical({ items: subscription.items, interval: subscription.interval }))
    return { ...nothing, ...told('updated', subscription) }
  if (behaviour === 'next_period') {
    // Nothing was billed that ends: there is nothing to wait for.
    if (periodEnd(subscription) === null) return changeItems(scene, moment, wish, 'none')
    return schedule(subscription, moment, { action: 'update', at: 'period_end', payload: wish })
  }
  const at = changedAt ?? moment.at
  if (at > moment.at || at < subscription.accountedAt)
    refuseMember(
      '/proration/at',
      at > moment.at ? 'too_large' : 'too_small',
      `must lie between ${subscription.accountedAt.toISOString()} and now`,
    )
  return changeItems(scene, { ...moment, at }, wish, behaviour)
}

/** A trial that runs ends earlier or later. One that is over cannot be had again. */
function moveTrial(subscription: Subscription, { at }: Moment, endAt: Date): Plan {
  const { trial, status } = subscription
  if (status !== 'trialing' || !isInTrial(subscription))
    refuse('invalid_state', {
      detail: 'Only a trial that runs has an end that can be moved.',
      ...{ current_status: status, allowed_actions: ['pause', 'resume', 'cancel'] },
    })
  const until = endAt < at ? at : endAt
  if (until.getTime() === trial?.endAt.getTime()) return nothing
  const after = { ...subscription, trial: { ...(trial as Trial), endAt: until } }
  const notices = Math.max(subscription.trialNotices, noticesBefore(at, until))
  const lived = { is: 'added', kind: 'trial', startAt: at, endAt: until, invoiceId: null } as const
  return {
    ...nothing,
    ...told('updated', { ...after, trialNotices: notices }),
    spans: [{ is: 'cut', at }, ...(at < until ? [lived] : [])],
  }
}
