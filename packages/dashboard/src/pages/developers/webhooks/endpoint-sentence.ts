/** How an endpoint fares, in a sentence: what it answered, since when, and what becomes of what it missed. Pure. */
import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { clockText, dateTimeText } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'
import { causeText } from './answers.ts'
import { type Cause, causesOf } from './failures.ts'

export function endpointSentence(endpoint: WebhookEndpoint, day: readonly Delivery[]): string {
  if (endpoint.disabled !== null) return disabledSentence(endpoint.disabled)
  const [worst] = causesOf(day)
  if (worst !== undefined) return failingSentence(endpoint, day, worst)
  if (day.length === 0) return 'Nothing was sent to it in the last 24 hours.'
  const waiting = day.filter(({ state }) => state === 'pending').length
  if (waiting > 0)
    return `${counted(waiting, 'delivery', 'deliveries')} of the last 24 hours ${be(waiting)} on the way.`
  const retried = day.filter(({ attempts_made }) => attempts_made > 1).length
  const all = `${counted(day.length, 'delivery', 'deliveries')} of the last 24 hours`
  return retried === 0
    ? `It took the ${all}, each at the first attempt.`
    : `It took the ${all}, ${retried} of them by a retry.`
}

function disabledSentence({ reason, at }: NonNullable<WebhookEndpoint['disabled']>): string {
  const kept = 'Its events are held for 30 days and sent when it is enabled again.'
  const since = dateTimeText(at)
  if (reason === 'requested') return `It was disabled on ${since}. ${kept}`
  if (reason === 'gone') return `It answered 410, gone for good, so it was disabled on ${since}. ${kept}`
  return `It failed for so long that it was disabled on ${since}. ${kept}`
}

function failingSentence(endpoint: WebhookEndpoint, day: readonly Delivery[], worst: Cause): string {
  const { timeout_seconds, health } = endpoint
  const missed = causesOf(day).flatMap(({ deliveries }) => deliveries)
  const what = causeText(worst.outcome, worst.status, timeout_seconds)
  const count = worst.deliveries.length
  const said =
    `${what}: ${counted(count, 'delivery', 'deliveries')} of the last 24 hours ` +
    `${count === 1 ? 'has' : 'have'} not arrived.`
  const others = missed.length - count
  const all = others === 0 ? '' : `With ${others} that failed otherwise, these are ${missed.length}: `
  return `${said} ${sentenceCase(`${all}${fateText(missed)}`)} ${stateSentence(health)}`.trim()
}

/** What becomes of them without anybody's help. */
function fateText(missed: readonly Delivery[]): string {
  const retrying = missed.filter(({ state }) => state === 'pending').length
  const lost = missed.length - retrying
  if (missed.length === 1) return lost === 0 ? 'it is retrying.' : 'it is given up until you resend it.'
  if (lost === 0) return 'all are retrying.'
  if (retrying === 0) return 'all are given up until you resend them.'
  return `${retrying} ${be(retrying)} retrying, ${lost} ${be(lost)} given up until you resend them.`
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function stateSentence(health: WebhookEndpoint['health']): string {
  if (health.state === 'healthy')
    return health.last_success_at === null
      ? ''
      : `It answered 2xx last at ${clockText(health.last_success_at)}.`
  const since = health.failing_since_at === null ? '' : ` since ${dateTimeText(health.failing_since_at)}`
  const probe = health.next_probe_at === null ? '' : ` One is tried at ${clockText(health.next_probe_at)}.`
  return `It has been failing${since}.${probe}`
}

function be(count: number): string {
  return count === 1 ? 'is' : 'are'
}
