/**
 * What a subscription does by itself, and when. Several things may fall on one instant; their order is fixed:
 * what ends comes before what goes on, so nobody is billed for time that was given up at that very second.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import { isActivating, isInTrial, type Subscription } from '../subscription.ts'
import type { Scene } from './scene.ts'

/** In their order at one instant. */
const order = [
  ...([
    'cancel',
    'pause',
    'resume',
    'update',
    'trial_end',
    'activation_expiry',
    'renewal',
    'notice',
  ] as const),
] as const
export type DueAction = (typeof order)[number]
export type Due = { readonly action: DueAction; readonly at: Date }

/** The next thing that happens by itself; null: nothing, until somebody or some money comes. */
export function nextDue(scene: Scene): Due | null {
  const { subscription } = scene
  if (subscription.status === 'cancelled' || subscription.parked !== null) return null
  const dues = order.flatMap((action) => {
    const at = timesOf[action](scene)
    return at === null ? [] : [{ action, at }]
  })
  // The sort is stable: what falls on one instant stays in its order.
  return dues.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null
}

const timesOf: { readonly [A in DueAction]: (scene: Scene) => Date | null } = {
  cancel: ({ subscription }) => scheduledAt(subscription, 'cancel'),
  pause: ({ subscription }) => scheduledAt(subscription, 'pause'),
  resume: ({ subscription }) => subscription.pause?.resumesAt ?? null,
  // A period that is not paid yet is the one that was billed: its items stay until that is known.
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

/** When the scheduled change takes place; null while nobody can tell, because the clock stands still. */
export function effectiveAt(subscription: Subscription): Date | null {
  const { scheduledChange, status } = subscription
  if (scheduledChange === null) return null
  if (scheduledChange.at !== 'period_end') return scheduledChange.at
  return status === 'paused' ? null : periodEnd(subscription)
}

/** The end of what it lives in: of its trial, or of its period. */
export function periodEnd(subscription: Subscription): Date | null {
  if (isInTrial(subscription)) return subscription.trial?.endAt ?? null
  return subscription.currentPeriod?.endAt ?? null
}

/** Without a trial it ends where it begins. */
function trialEnd(subscription: Subscription): Date | null {
  if (subscription.status !== 'trialing' || subscription.anchor !== null) return null
  return subscription.trial?.endAt ?? subscription.startedAt
}

/** It waits for a payment that is under way, and for the news of one that has come. */
function activationExpiry({ subscription, money }: Scene): Date | null {
  if (!isActivating(subscription) || money.current?.inFlight || money.current?.status === 'paid') return null
  return subscription.activation?.expiresAt ?? null
}

/** Days before the end of a trial on which it is told. */
export const noticeDays = [7, 3] as const

function nextNotice(subscription: Subscription): Date | null {
  const end = isInTrial(subscription) && subscription.status === 'trialing' ? trialEnd(subscription) : null
  const days = noticeDays[subscription.trialNotices]
  if (end === null || days === undefined) return null
  return addSeconds(end, -days * 86_400)
}

/** How many notices a trial of that length would have had to give before it began: they are not given late. */
export function noticesBefore(at: Date, end: Date): number {
  return noticeDays.filter((days) => addSeconds(end, -days * 86_400) <= at).length
}
