/** Describes a subscription: its additional badges and the next charge. No side effects. */
import type { Subscription } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import type { Tone } from '../../../format/status.ts'
import { dateText } from '../../../format/time.ts'
import { nextAttemptText } from '../next-attempt-text.ts'

export type Badge = { readonly text: string; readonly tone: Tone }

const scheduledVerbs = { cancel: 'Cancels', pause: 'Pauses', update: 'Changes' } as const

/** Badges for problems and pending changes that the status does not show. Problems come first. */
export function badgesOf(subscription: Subscription): readonly Badge[] {
  return [...problemBadges(subscription), ...pendingBadges(subscription)]
}

function problemBadges({ parked, collection }: Subscription): Badge[] {
  const badges: Badge[] = []
  if (parked !== null) badges.push({ text: 'Parked', tone: 'danger' })
  if (collection.status === 'past_due') badges.push({ text: 'In dunning', tone: 'danger' })
  if (collection.status === 'unpaid') badges.push({ text: 'Unpaid', tone: 'danger' })
  return badges
}

function pendingBadges({ activation, scheduled_change: change, pause }: Subscription): Badge[] {
  const badges: Badge[] = []
  const isAwaitingPayment = activation !== null && ['pending', 'requires_action'].includes(activation.state)
  if (isAwaitingPayment)
    badges.push({
      text: activation.purpose === 'start' ? 'Awaiting first payment' : 'Awaiting payment to resume',
      tone: 'warning',
    })
  if (change !== null) {
    const when = change.effective_at === null ? 'later' : `on ${dayText(change.effective_at)}`
    badges.push({ text: `${scheduledVerbs[change.action]} ${when}`, tone: 'neutral' })
  }
  if (pause?.resumes_at != null)
    badges.push({ text: `Resumes on ${dayText(pause.resumes_at)}`, tone: 'neutral' })
  return badges
}

/** The date, without the year if it is the current year. */
export function dayText(at: string, nowMs = Date.now()): string {
  const text = dateText(at)
  const year = ` ${new Date(nowMs).getFullYear()}`
  return text.endsWith(year) ? text.slice(0, -year.length) : text
}

/** `amount` is the formatted total of the next invoice; null while it is not known. */
export function nextChargeText(subscription: Subscription, amount: string | null): string {
  const { status, pause, trial, scheduled_change: change, current_period: period } = subscription
  const amountText = amount ?? 'The next invoice'
  if (status === 'cancelled') return 'Cancelled. No further charges.'
  if (status === 'paused') return pausedText(pause)
  if (change?.action === 'cancel' && change.effective_at !== null)
    return `Cancels on ${dateText(change.effective_at)}. No further charges.`
  if (change?.action === 'pause' && change.effective_at !== null)
    return `Pauses on ${dateText(change.effective_at)}. No charges while it is paused.`
  if (status === 'trialing')
    return trial === null
      ? 'The subscription starts with its first payment.'
      : trialText(trial, subscription.payment_method_id !== null, amountText)
  if (period === null) return 'No billing period is active.'
  return `${amountText} is charged on ${dateText(period.end_at)}.`
}

function pausedText(pause: Subscription['pause']): string {
  const remainingDays = pause === null ? 0 : Math.round(pause.remaining_seconds / 86_400)
  const remainingText =
    remainingDays > 0 ? ` ${remainingDays} paid days remain and are added after it resumes.` : ''
  const end = pause?.resumes_at == null ? '' : ` It resumes on ${dateText(pause.resumes_at)}.`
  return `Paused. No charges while it is paused.${end}${remainingText}`
}

const withoutCard = {
  pause: 'the subscription then pauses, because there is no card to charge',
  cancel: 'the subscription is then cancelled, because there is no card to charge',
  invoice: 'an invoice is then created, even though there is no card to charge',
} as const

function trialText(trial: NonNullable<Subscription['trial']>, hasCard: boolean, amountText: string): string {
  const end = `The trial ends on ${dateText(trial.end_at)}`
  if (trial.end_behaviour === 'pause') return `${end}. The subscription then pauses, and nothing is charged.`
  if (trial.end_behaviour === 'cancel')
    return `${end}. The subscription is then cancelled, and nothing is charged.`
  return hasCard
    ? `${end}. ${amountText} is charged then.`
    : `${end}; ${withoutCard[trial.missing_payment_method]}.`
}

const finalActionTexts: { readonly [action: string]: string } = {
  pause: 'the subscription is paused',
  cancel: 'the subscription is cancelled',
  mark_unpaid: 'the subscription is marked unpaid',
  keep: 'the subscription continues with an unpaid balance',
}

/** The overdue amount, the next attempt, and what happens to the subscription if every retry fails. */
export function overdueText(
  { collection, currency, test_clock_id }: Subscription,
  nowMs = Date.now(),
): string {
  const { overdue_amount, past_due_since_at: since, next_attempt_at: at } = collection
  const { final_action: action, final_action_at: end } = collection
  const sentences = [
    `${moneyText(overdue_amount, currency)} ${since === null ? 'is overdue' : `has been overdue since ${dateText(since)}`}.`,
  ]
  if (at !== null) sentences.push(nextAttemptText({ at, testClockId: test_clock_id }, { nowMs }))
  if (action !== null && end !== null)
    sentences.push(`If every retry fails by ${dateText(end)}, ${finalActionTexts[action] ?? action}.`)
  return sentences.join(' ')
}

const accessReasons: { readonly [R in Subscription['access']['reason']]: string } = {
  trial: 'in trial',
  paid: 'paid',
  grace: 'a payment failed and is being retried',
  activation_pending: 'awaiting the first payment',
  unpaid: 'unpaid',
  paused: 'paused',
  cancelled: 'cancelled',
}

export function accessText({ granted, reason, until_at }: Subscription['access']): string {
  const until = until_at === null ? '' : ` until ${dateText(until_at)}`
  return `${granted ? 'Granted' : 'Not granted'}${granted ? until : ''}: ${accessReasons[reason]}.`
}
