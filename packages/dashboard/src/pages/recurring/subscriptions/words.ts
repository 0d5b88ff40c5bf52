/** A subscription in words: what stands beside its status, and when it is charged next. Pure. */
import type { Subscription } from '@switchyard/sdk'
import type { Tone } from '../../../format/status.ts'
import { dateText } from '../../../format/time.ts'

export type Note = { readonly text: string; readonly tone: Tone }

const scheduled = { cancel: 'Cancels', pause: 'Pauses', update: 'Changes' } as const

/** What the four states leave out. What a person should look at comes first. */
export function notesOf(subscription: Subscription): readonly Note[] {
  return [...troubleNotes(subscription), ...waitingNotes(subscription)]
}

function troubleNotes({ parked, collection }: Subscription): Note[] {
  const notes: Note[] = []
  if (parked !== null) notes.push({ text: 'Parked', tone: 'danger' })
  if (collection.status === 'past_due') notes.push({ text: 'In dunning', tone: 'danger' })
  if (collection.status === 'unpaid') notes.push({ text: 'Unpaid', tone: 'danger' })
  return notes
}

function waitingNotes({ activation, scheduled_change: change, pause }: Subscription): Note[] {
  const notes: Note[] = []
  const waits = activation !== null && ['pending', 'requires_action'].includes(activation.state)
  if (waits)
    notes.push({
      text: activation.purpose === 'start' ? 'Awaiting first payment' : 'Awaiting payment to resume',
      tone: 'caution',
    })
  if (change !== null) {
    const when = change.effective_at === null ? 'later' : `on ${dayText(change.effective_at)}`
    notes.push({ text: `${scheduled[change.action]} ${when}`, tone: 'idle' })
  }
  if (pause?.resumes_at != null) notes.push({ text: `Resumes on ${dayText(pause.resumes_at)}`, tone: 'idle' })
  return notes
}

/** The year is left out where it is the one of today. */
export function dayText(at: string, nowMs = Date.now()): string {
  const text = dateText(at)
  const year = ` ${new Date(nowMs).getFullYear()}`
  return text.endsWith(year) ? text.slice(0, -year.length) : text
}

/** `amount` is what the next invoice comes to, as text; null while nobody knows. */
export function nextChargeText(subscription: Subscription, amount: string | null): string {
  const { status, pause, trial, scheduled_change: change, current_period: period } = subscription
  const sum = amount ?? 'The next invoice'
  if (status === 'cancelled') return 'It is cancelled. Nothing is charged any more.'
  if (status === 'paused') return pausedText(pause)
  if (change?.action === 'cancel' && change.effective_at !== null)
    return `It is cancelled on ${dateText(change.effective_at)}. Nothing is charged before or after.`
  if (change?.action === 'pause' && change.effective_at !== null)
    return `It pauses on ${dateText(change.effective_at)}. Nothing is charged while it is paused.`
  if (status === 'trialing')
    return trial === null
      ? 'Its first payment decides when it begins.'
      : trialText(trial, subscription.payment_method_id !== null, sum)
  if (period === null) return 'No period is billed at the moment.'
  return `${sum} is charged on ${dateText(period.end_at)}.`
}

function pausedText(pause: Subscription['pause']): string {
  const left = pause === null ? 0 : Math.round(pause.remaining_seconds / 86_400)
  const kept = left > 0 ? ` ${left} paid days are left and are lived after it resumes.` : ''
  const end = pause?.resumes_at == null ? '' : ` It resumes on ${dateText(pause.resumes_at)}.`
  return `It is paused. Nothing is charged meanwhile.${end}${kept}`
}

const withoutCard = {
  pause: 'it pauses then, because there is no card to charge',
  cancel: 'it is cancelled then, because there is no card to charge',
  invoice: 'an invoice is made then, although there is no card to charge',
} as const

function trialText(trial: NonNullable<Subscription['trial']>, hasCard: boolean, sum: string): string {
  const end = `The trial ends on ${dateText(trial.end_at)}`
  if (trial.end_behaviour === 'pause') return `${end}, and it pauses then. Nothing is charged.`
  if (trial.end_behaviour === 'cancel') return `${end}, and it is cancelled then. Nothing is charged.`
  return hasCard ? `${end}. ${sum} is charged then.` : `${end}; ${withoutCard[trial.missing_payment_method]}.`
}

const finals: { readonly [action: string]: string } = {
  pause: 'it pauses',
  cancel: 'it is cancelled',
  mark_unpaid: 'it goes on as unpaid',
  keep: 'it goes on, and owes',
}

/** What becomes of it when collecting is given up. */
export function finalWords(action: string): string {
  return finals[action] ?? action
}

const reasons: { readonly [R in Subscription['access']['reason']]: string } = {
  trial: 'it is in its trial',
  paid: 'it is paid',
  grace: 'a payment failed, and it is still tried again',
  activation_pending: 'its first payment is awaited',
  unpaid: 'it was not paid',
  paused: 'it is paused',
  cancelled: 'it is cancelled',
}

export function accessText({ granted, reason, until_at }: Subscription['access']): string {
  const until = until_at === null ? '' : ` until ${dateText(until_at)}`
  return `${granted ? 'Granted' : 'Not granted'}${granted ? until : ''}: ${reasons[reason]}.`
}
