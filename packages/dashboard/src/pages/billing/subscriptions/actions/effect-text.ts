/** Describes the effect of an action on a subscription, based on the server's preview. No side effects. */
import type { Subscription, SubscriptionPreview } from '@switchyard/sdk'
import { moneyText } from '../../../../format/money.ts'
import { dateText } from '../../../../format/time.ts'

/** `before` is null for a new subscription. */
export function effectOf(before: Subscription | null, preview: SubscriptionPreview): readonly string[] {
  const sentences = [
    ...statusAndScheduleEffect(before, preview.subscription),
    ...billingEffect(preview),
    ...accessEffect(before, preview.subscription),
  ]
  return sentences.length === 0 ? ['Billing does not change.'] : sentences
}

const startTexts = {
  trialing: 'The subscription starts in trial.',
  active: 'The subscription is active immediately.',
  paused: 'The subscription starts paused.',
  cancelled: 'The subscription is cancelled.',
} as const

function statusAndScheduleEffect(before: Subscription | null, after: Subscription): string[] {
  if (before === null) {
    const trial = after.trial === null ? [] : [`The trial ends on ${dateText(after.trial.end_at)}.`]
    return [startTexts[after.status], ...trial]
  }
  const sentences = [...statusEffect(before, after), ...scheduleEffect(before, after)]
  const [previousEnd, nextEnd] = [before.current_period?.end_at, after.current_period?.end_at]
  if (nextEnd !== undefined && previousEnd !== nextEnd && after.status === 'active')
    sentences.push(`The next charge is on ${dateText(nextEnd)}.`)
  return sentences
}

function statusEffect(before: Subscription, after: Subscription): string[] {
  if (before.status === after.status) return []
  if (after.status === 'paused')
    return [
      'The subscription pauses now. No invoices are created while it is paused.',
      ...unusedTimeTexts(after),
    ]
  if (after.status === 'cancelled') return ['The subscription is cancelled now. This cannot be undone.']
  return [
    before.status === 'paused'
      ? 'The subscription resumes now.'
      : `The subscription becomes ${after.status}.`,
  ]
}

const unusedTimeTreatments = {
  keep: 'added after it resumes',
  credit: 'credited to the customer',
  forfeit: 'forfeited',
} as const

function unusedTimeTexts({ pause }: Subscription): string[] {
  if (pause === null) return []
  const sentences: string[] = []
  const days = Math.round(pause.remaining_seconds / 86_400)
  if (days > 0) {
    const subject = days === 1 ? '1 unused day is' : `${days} unused days are`
    sentences.push(`${subject} ${unusedTimeTreatments[pause.unused_time]}.`)
  }
  sentences.push(
    pause.resumes_at === null
      ? 'It stays paused until it is resumed manually.'
      : `It resumes on ${dateText(pause.resumes_at)}.`,
  )
  return sentences
}

const scheduledTexts = {
  cancel: 'The subscription is cancelled',
  pause: 'The subscription pauses',
  update: 'The subscription changes',
} as const

function scheduleEffect(before: Subscription, after: Subscription): string[] {
  const change = after.scheduled_change
  if (JSON.stringify(change) === JSON.stringify(before.scheduled_change)) return []
  if (change === null) return after.status === 'cancelled' ? [] : ['The scheduled change is removed.']
  const when = change.effective_at === null ? 'later' : `on ${dateText(change.effective_at)}`
  return [`${scheduledTexts[change.action]} ${when}. It is unchanged until then.`]
}

const collectionTexts = {
  now: 'is billed and charged now',
  spread: 'is billed now and charged within the next few hours',
  never: 'is billed but not charged',
} as const

function billingEffect({ invoices, pending_lines: pending, subscription }: SubscriptionPreview): string[] {
  const sentences = invoices.map(({ total, currency, collect }) => {
    if (total < 0) return `${moneyText(-total, currency)} is credited to the customer.`
    if (total === 0) return 'A zero-amount invoice is created.'
    if (collect !== 'never' && !isChargeable(subscription))
      return `${moneyText(total, currency)} is billed but not charged, because the customer has no card. The invoice stays open until it is paid.`
    return `${moneyText(total, currency)} ${collectionTexts[collect]}.`
  })
  const pendingTotal = pending.reduce((sum, { amount }) => sum + amount, 0)
  if (pendingTotal !== 0) {
    const amount = moneyText(Math.abs(pendingTotal), subscription.currency)
    sentences.push(`${amount} ${pendingTotal < 0 ? 'is deducted from' : 'is added to'} the next invoice.`)
  }
  return sentences
}

function accessEffect(before: Subscription | null, after: Subscription): string[] {
  if (before === null || before.access.granted === after.access.granted) return []
  return [after.access.granted ? 'Access is granted now.' : 'Access ends now.']
}

/** Without a card the invoice is created, but no payment is attempted. */
function isChargeable({ payment_method_id }: Pick<Subscription, 'payment_method_id'>): boolean {
  return payment_method_id !== null
}

/** The amount that is charged immediately, for the label of the submit button. */
export function chargedNow(preview: SubscriptionPreview): { amount: number; currency: string } | null {
  const { invoices, subscription } = preview
  if (!isChargeable(subscription)) return null
  const charged = invoices.filter(({ collect, total }) => collect === 'now' && total > 0)
  const [first] = charged
  if (first === undefined) return null
  return { amount: charged.reduce((amount, { total }) => amount + total, 0), currency: first.currency }
}
