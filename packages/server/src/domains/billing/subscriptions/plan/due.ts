/**
 * The automatic actions of a subscription, and when they are due. Actions due at the same instant have a
 * fixed order: endings come before renewals, so that a subscription that ends at that instant is not billed for
 * another period.
 */
import { addSeconds } from '../../../../kernel/clock.ts'
import { isActivating, isInTrial, type Subscription } from '../subscription.ts'
import type { Snapshot } from './snapshot.ts'
import { hasFreedPeriod } from './stop.ts'

/** The order of actions that are due at the same instant. */
const order = [
  'cancel',
  'pause',
  'resume',
  'update',
  'trial_end',
  'activation_expiry',
  'renewal',
  'notice',
] as const
export type DueAction = (typeof order)[number]
export type Due = { readonly action: DueAction; readonly at: Date }

/**
 * The next automatic action; null if nothing is due until a command or a payment changes the subscription.
 */
export function nextDue(snapshot: Snapshot): Due | null {
  const { subscription } = snapshot
  if (subscription.status === 'cancelled' || subscription.parked !== null) return null
  const dueActions = order.flatMap((action) => {
    const at = dueTimeOf[action](snapshot)
    return at === null ? [] : [{ action, at }]
  })
  // The sort is stable: actions of the same instant keep their order.
  return dueActions.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null
}

const dueTimeOf: { readonly [A in DueAction]: (snapshot: Snapshot) => Date | null } = {
  cancel: ({ subscription }) => scheduledAt(subscription, 'cancel'),
  pause: ({ subscription }) => scheduledAt(subscription, 'pause'),
  // While a payment is in progress, its outcome decides whether there is a period to resume.
  resume: ({ subscription }) =>
    hasFreedPeriod(subscription) && isActivating(subscription)
      ? null
      : (subscription.pause?.resumesAt ?? null),
  // The items of a billed period do not change until the outcome of its payment is known.
  update: ({ subscription }) => (isActivating(subscription) ? null : scheduledAt(subscription, 'update')),
  trial_end: ({ subscription }) => trialEnd(subscription),
  activation_expiry: activationExpiry,
  renewal: ({ subscription }) =>
    subscription.status === 'active' ? (subscription.currentPeriod?.endAt ?? null) : null,
  notice: ({ subscription }) => nextNotice(subscription),
}

function scheduledAt(subscription: Subscription, action: 'cancel' | 'pause' | 'update'): Date | null {
  return subscription.scheduledChange?.action === action ? effectiveAt(subscription) : null
}

/**
 * When the scheduled change takes effect. Null if it takes effect at the period end and the subscription is paused,
 * because that end is unknown.
 */
export function effectiveAt(subscription: Subscription): Date | null {
  const { scheduledChange, status } = subscription
  if (scheduledChange === null) return null
  if (scheduledChange.at !== 'period_end') return scheduledChange.at
  return status === 'paused' ? null : periodEnd(subscription)
}

/** The end of the trial or of the current period. */
export function periodEnd(subscription: Subscription): Date | null {
  if (isInTrial(subscription)) return subscription.trial?.endAt ?? null
  return subscription.currentPeriod?.endAt ?? null
}

/** Without a trial, the trial end is the start of the subscription. */
function trialEnd(subscription: Subscription): Date | null {
  if (subscription.status !== 'trialing' || subscription.anchor !== null) return null
  return subscription.trial?.endAt ?? subscription.startedAt
}

/**
 * An activation does not expire while its payment is in progress, or when the payment has succeeded but was not
 * applied yet.
 */
function activationExpiry({ subscription, money }: Snapshot): Date | null {
  if (!isActivating(subscription) || money.current?.inFlight || money.current?.status === 'paid') return null
  return subscription.activation?.expiresAt ?? null
}

/** Days before the end of a trial on which a notice is emitted. */
export const noticeDays = [7, 3] as const

function nextNotice(subscription: Subscription): Date | null {
  const end = isInTrial(subscription) && subscription.status === 'trialing' ? trialEnd(subscription) : null
  const days = noticeDays[subscription.trialNotices]
  if (end === null || days === undefined) return null
  return addSeconds(end, -days * 86_400)
}

/** How many notices were already due at `at`. These are not emitted. */
export function noticesBefore(at: Date, end: Date): number {
  return noticeDays.filter((days) => addSeconds(end, -days * 86_400) <= at).length
}
