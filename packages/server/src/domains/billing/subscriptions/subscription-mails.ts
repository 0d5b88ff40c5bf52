/** The e-mails that follow from a step of a subscription. No side effects. */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Step } from './plan/snapshot.ts'

const daySeconds = 86_400
/** How long before a renewal its reminder is sent. */
const noticeSeconds = 7 * daySeconds
/** Shorter periods have no reminder. */
const minimumPeriodSeconds = 28 * daySeconds

export type SubscriptionMail = {
  readonly kind: 'trial_ending' | 'renewal_upcoming' | 'cancelled' | 'card_expiring'
  readonly objectId: Id<'subscription'> | Id<'payment_method'>
  readonly step: number
  readonly at?: Date
  readonly sendAt?: Date
  readonly ifCardExpiresBefore?: Date
}

export function mailsOf({ event, after }: Step): readonly SubscriptionMail[] {
  const { id: objectId, trial, trialNotices } = after
  switch (event) {
    case 'trial_will_end':
      return trial === null ? [] : [{ kind: 'trial_ending', objectId, step: trialNotices, at: trial.endAt }]
    case 'cancelled':
      return [{ kind: 'cancelled', objectId, step: 0 }]
    case 'activated':
    case 'renewed':
      return [...renewalReminder(after), ...cardReminder(after)]
    default:
      return []
  }
}

function renewalReminder({ id: objectId, currentPeriod }: Step['after']): readonly SubscriptionMail[] {
  if (currentPeriod === null) return []
  const { startAt, endAt } = currentPeriod
  if (endAt < addSeconds(startAt, minimumPeriodSeconds)) return []
  const sendAt = addSeconds(endAt, -noticeSeconds)
  return [{ kind: 'renewal_upcoming', objectId, step: dayOf(endAt), at: endAt, sendAt }]
}

/** The e-mail that is sent if the card expires before the next renewal. */
function cardReminder({ paymentMethodId, currentPeriod }: Step['after']): readonly SubscriptionMail[] {
  if (paymentMethodId === null || currentPeriod === null) return []
  const ifCardExpiresBefore = currentPeriod.endAt
  return [{ kind: 'card_expiring', objectId: paymentMethodId, step: 0, ifCardExpiresBefore }]
}

const dayOf = (at: Date) => Math.floor(at.getTime() / (1000 * daySeconds))
