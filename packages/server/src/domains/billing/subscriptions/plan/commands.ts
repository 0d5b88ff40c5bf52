/** Plans the commands of API callers, which take effect now, at period end, or at a given time. */
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { canonical } from '../../../../kernel/json.ts'
import { isChange, nextTransition } from '../../../../kernel/machine.ts'
import { subscriptionMachine, type Trigger } from '../machine.ts'
import {
  type CancelOptions,
  isActivating,
  isInTrial,
  type Pause,
  type PauseOptions,
  type ScheduledChange,
  type Subscription,
  type SubscriptionTerms,
  type Trial,
  type UpdateOptions,
} from '../subscription.ts'
import { changeItems, type ProrationBehaviour } from './change.ts'
import { noticesBefore, periodEnd } from './due.ts'
import { factsOf } from './facts.ts'
import { planResume, type ResumeOptions } from './resume.ts'
import {
  emptyPlan,
  type Plan,
  type PlanContext,
  type Snapshot,
  snapshotAfter,
  withEvent,
} from './snapshot.ts'
import { planKeepForLater, planWithdrawal } from './start.ts'
import { planCancellation, planPause } from './stop.ts'

export type When = 'now' | 'period_end' | Date

export type Settings = Partial<
  Pick<
    SubscriptionTerms,
    | 'paymentMethodId'
    | 'paymentRouteId'
    | 'dunningPolicyId'
    | 'description'
    | 'metadata'
    | 'activationPolicy'
    | 'discounts'
  >
>

export type Update = {
  readonly settings: Settings
  readonly items: UpdateOptions | null
  readonly behaviour: ProrationBehaviour
  /** When the new items take effect; null: now. */
  readonly changedAt: Date | null
  readonly trialEndAt: Date | null
  readonly removesScheduledChange: boolean
}

export type Command =
  | { readonly kind: 'pause'; readonly at: When; readonly options: PauseOptions }
  | { readonly kind: 'resume'; readonly at: 'now' | Date; readonly options: ResumeOptions }
  | { readonly kind: 'cancel'; readonly at: When; readonly options: CancelOptions }
  | { readonly kind: 'update'; readonly options: Update }

export function applyCommand(snapshot: Snapshot, context: PlanContext, command: Command): Plan {
  // First of all, refuse commands that the state machine does not allow.
  requireTransition(snapshot, command.kind)
  switch (command.kind) {
    case 'pause':
      return pause(snapshot, context, command.at, command.options)
    case 'resume':
      return command.at === 'now'
        ? planResume(snapshot, context, command.options)
        : resumeLater(snapshot, context, command.at)
    case 'cancel':
      return cancel(snapshot, context, command.at, command.options)
    case 'update':
      return update(snapshot, context, command.options)
  }
}

function requireTransition(snapshot: Snapshot, trigger: Trigger): void {
  nextTransition(subscriptionMachine, {
    state: snapshot.subscription.status,
    trigger,
    facts: factsOf(snapshot),
  })
}

function pause(snapshot: Snapshot, context: PlanContext, at: When, options: PauseOptions): Plan {
  const { subscription } = snapshot
  const startsAt = startOf(subscription, context.at, at)
  if (options.resumesAt !== null && options.resumesAt <= startsAt)
    refuseMember('/resumes_at', 'too_small', 'must be after the start of the pause')
  if (subscription.status === 'paused') return pauseAgain(snapshot, context, options)
  if (at === 'now') return planPause(snapshot, context, { ...options, reason: 'requested' })
  return schedule(subscription, context, { action: 'pause', at, payload: options })
}

function startOf(subscription: Subscription, now: Date, at: When): Date {
  if (at === 'now' || subscription.status === 'paused') return now
  return at === 'period_end' ? (periodEnd(subscription) ?? now) : at
}

/**
 * Pauses a paused subscription: this changes the resume date, or withdraws a resumption that awaits its
 * payment.
 */
function pauseAgain(snapshot: Snapshot, context: PlanContext, { resumesAt }: PauseOptions): Plan {
  const isWaiting =
    isActivating(snapshot.subscription) && snapshot.subscription.activation?.purpose === 'resume'
  const planUndo = snapshot.money.current?.inFlight ? planKeepForLater : planWithdrawal
  const withdrawal = isWaiting ? planUndo(snapshot, context) : emptyPlan
  const { subscription } = snapshotAfter(snapshot, withdrawal)
  const current = subscription.pause as Pause
  const isResumeDateChanged = current.resumesAt?.getTime() !== resumesAt?.getTime()
  if (!isResumeDateChanged && withdrawal.steps.length === 0) return emptyPlan
  return { ...withdrawal, ...withEvent('updated', { ...subscription, pause: { ...current, resumesAt } }) }
}

function resumeLater(snapshot: Snapshot, context: PlanContext, at: Date): Plan {
  const { subscription } = snapshot
  if (at <= context.at) refuseMember('/at', 'too_small', 'must be a time in the future, or "now"')
  const row = nextTransition(subscriptionMachine, {
    state: subscription.status,
    trigger: 'resume',
    facts: factsOf(snapshot),
  })
  if (subscription.pause === null)
    return isChange(row) ? planResume(snapshot, context, { openInvoices: 'keep' }) : emptyPlan
  if (subscription.pause.resumesAt?.getTime() === at.getTime()) return emptyPlan
  return {
    ...emptyPlan,
    ...withEvent('updated', { ...subscription, pause: { ...subscription.pause, resumesAt: at } }),
  }
}

function cancel(snapshot: Snapshot, context: PlanContext, at: When, options: CancelOptions): Plan {
  if (at === 'now') return planCancellation(snapshot, context, 'requested', options)
  return schedule(snapshot.subscription, context, { action: 'cancel', at, payload: options })
}

/**
 * There is at most one scheduled change. A cancellation replaces any other change, and cannot be replaced.
 */
export function schedule(subscription: Subscription, context: PlanContext, change: ScheduledChange): Plan {
  const { scheduledChange: existing } = subscription
  if (existing?.action === 'cancel' && change.action !== 'cancel') refuse('scheduled_change_conflict')
  if (change.at !== 'period_end' && change.at <= context.at)
    refuseMember('/at', 'too_small', 'must be a time in the future, "now" or "period_end"')
  if (canonical(existing) === canonical(change)) return emptyPlan
  const after = { ...subscription, scheduledChange: change }
  return { ...emptyPlan, ...withEvent(change.action === 'cancel' ? 'cancel_scheduled' : 'updated', after) }
}

function update(snapshot: Snapshot, context: PlanContext, options: Update): Plan {
  const { subscription } = snapshot
  const withSettings: Subscription = {
    ...subscription,
    ...options.settings,
    ...(options.removesScheduledChange ? { scheduledChange: null } : {}),
  }
  const trialMove =
    options.trialEndAt === null ? null : planTrialMove(withSettings, context, options.trialEndAt)
  const base = trialMove?.steps[0]?.after ?? withSettings
  const changed =
    options.items === null ? null : planItemChange({ ...snapshot, subscription: base }, context, options)
  const after = changed?.steps.at(-1)?.after ?? base
  if (canonical(after) === canonical(subscription)) return emptyPlan
  const event = changed?.steps.at(-1)?.event ?? 'updated'
  return {
    ...(changed ?? emptyPlan),
    ...withEvent(event, after),
    spans: [...(trialMove?.spans ?? []), ...(changed?.spans ?? [])],
  }
}

function planItemChange(
  snapshot: Snapshot,
  context: PlanContext,
  { items, behaviour, changedAt }: Update,
): Plan {
  const { subscription } = snapshot
  const options = items as UpdateOptions
  if (canonical(options) === canonical({ items: subscription.items, interval: subscription.interval }))
    return { ...emptyPlan, ...withEvent('updated', subscription) }
  if (behaviour === 'next_period') {
    // There is no current period, so the change takes effect immediately.
    if (periodEnd(subscription) === null) return changeItems(snapshot, context, options, 'none')
    return schedule(subscription, context, { action: 'update', at: 'period_end', payload: options })
  }
  const at = changedAt ?? context.at
  if (at > context.at || at < subscription.accountedAt)
    refuseMember(
      '/proration/at',
      at > context.at ? 'too_large' : 'too_small',
      `must be between ${subscription.accountedAt.toISOString()} and now`,
    )
  return changeItems(snapshot, { ...context, at }, options, behaviour)
}

/** Moves the end of a running trial. A trial that has ended cannot be restarted. */
function planTrialMove(subscription: Subscription, { at }: PlanContext, endAt: Date): Plan {
  const { trial, status } = subscription
  if (status !== 'trialing' || !isInTrial(subscription))
    refuse('invalid_state', {
      detail: 'The subscription is not in a trial, so the trial end cannot be changed.',
      current_status: status,
      allowed_actions: ['pause', 'resume', 'cancel'],
    })
  const until = endAt < at ? at : endAt
  if (until.getTime() === trial?.endAt.getTime()) return emptyPlan
  const after = { ...subscription, trial: { ...(trial as Trial), endAt: until } }
  const notices = Math.max(subscription.trialNotices, noticesBefore(at, until))
  const trialSpan = { action: 'add', kind: 'trial', startAt: at, endAt: until, invoiceId: null } as const
  return {
    ...emptyPlan,
    ...withEvent('updated', { ...after, trialNotices: notices }),
    spans: [{ action: 'truncate', at }, ...(at < until ? [trialSpan] : [])],
  }
}
