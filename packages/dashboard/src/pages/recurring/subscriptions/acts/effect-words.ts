/** What an action would do to a subscription, in sentences, from what the server previews. Pure. */
import type { Subscription, SubscriptionPreview } from '@switchyard/sdk'
import { moneyText } from '../../../../format/money.ts'
import { dateText } from '../../../../format/time.ts'

/** `before` is null if it is yet to be created. */
export function effectOf(before: Subscription | null, preview: SubscriptionPreview): readonly string[] {
  const sentences = [
    ...lifeEffect(before, preview.subscription),
    ...moneyEffect(preview),
    ...accessEffect(before, preview.subscription),
  ]
  return sentences.length === 0 ? ['Nothing changes in what is billed or when.'] : sentences
}

const begins = {
  trialing: 'It begins as trialing.',
  active: 'It is active at once.',
  paused: 'It begins paused.',
  cancelled: 'It is cancelled.',
} as const

function lifeEffect(before: Subscription | null, after: Subscription): string[] {
  if (before === null) {
    const trial = after.trial === null ? [] : [`The trial ends on ${dateText(after.trial.end_at)}.`]
    return [begins[after.status], ...trial]
  }
  const sentences = [...statusEffect(before, after), ...scheduleEffect(before, after)]
  const [old, next] = [before.current_period?.end_at, after.current_period?.end_at]
  if (next !== undefined && old !== next && after.status === 'active')
    sentences.push(`The next charge is on ${dateText(next)}.`)
  return sentences
}

function statusEffect(before: Subscription, after: Subscription): string[] {
  if (before.status === after.status) return []
  if (after.status === 'paused') return ['It pauses now. No invoices while it is paused.', ...keptTime(after)]
  if (after.status === 'cancelled') return ['It is cancelled now, for good.']
  return [before.status === 'paused' ? 'It resumes now.' : `It becomes ${after.status}.`]
}

const timeWords = {
  keep: 'are kept and lived after it resumes',
  credit: 'are given back as credit',
  forfeit: 'are lost',
} as const

function keptTime({ pause }: Subscription): string[] {
  if (pause === null) return []
  const sentences: string[] = []
  const days = Math.round(pause.remaining_seconds / 86_400)
  if (days > 0) sentences.push(`${days} unused days ${timeWords[pause.unused_time]}.`)
  sentences.push(
    pause.resumes_at === null
      ? 'It stays paused until somebody resumes it.'
      : `It resumes on ${dateText(pause.resumes_at)}.`,
  )
  return sentences
}

const later = { cancel: 'It is cancelled', pause: 'It pauses', update: 'It changes' } as const

function scheduleEffect(before: Subscription, after: Subscription): string[] {
  const change = after.scheduled_change
  if (JSON.stringify(change) === JSON.stringify(before.scheduled_change)) return []
  if (change === null) return after.status === 'cancelled' ? [] : ['What was scheduled is withdrawn.']
  const when = change.effective_at === null ? 'later' : `on ${dateText(change.effective_at)}`
  return [`${later[change.action]} ${when}. Until then it goes on as it is.`]
}

const collecting = {
  now: 'is billed and charged now',
  spread: 'is billed now and charged within the next hours',
  never: 'is billed and not charged',
} as const

function moneyEffect({ invoices, pending_lines: pending, subscription }: SubscriptionPreview): string[] {
  const sentences = invoices.map(({ total, currency, collect }) => {
    if (total < 0) return `${moneyText(-total, currency)} becomes credit of the customer.`
    return total === 0
      ? 'An invoice of nothing is made.'
      : `${moneyText(total, currency)} ${collecting[collect]}.`
  })
  const waiting = pending.reduce((sum, { amount }) => sum + amount, 0)
  if (waiting !== 0) {
    const sum = moneyText(Math.abs(waiting), subscription.currency)
    sentences.push(`${sum} ${waiting < 0 ? 'is taken off' : 'is added to'} the next invoice.`)
  }
  return sentences
}

function accessEffect(before: Subscription | null, after: Subscription): string[] {
  if (before === null || before.access.granted === after.access.granted) return []
  return [after.access.granted ? 'Access is granted from now on.' : 'Access ends now.']
}

/** What the customer is charged at once: what the button has to name. */
export function chargedNow({ invoices }: SubscriptionPreview): { amount: number; currency: string } | null {
  const charged = invoices.filter(({ collect, total }) => collect === 'now' && total > 0)
  const [first] = charged
  if (first === undefined) return null
  return { amount: charged.reduce((sum, { total }) => sum + total, 0), currency: first.currency }
}
