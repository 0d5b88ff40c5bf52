/** The health of an endpoint as a sentence: what fails, when it began to fail, and what is retried. No side effects. */
import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { countText } from '../../../format/text.ts'
import { dateTimeText, timeText } from '../../../format/time.ts'
import { type Cause, causesOf } from './failures.ts'
import { causeText } from './responses.ts'

export function endpointSentence(endpoint: WebhookEndpoint, day: readonly Delivery[]): string {
  if (endpoint.disabled !== null) return disabledSentence(endpoint.disabled)
  const [worst] = causesOf(day)
  if (worst !== undefined) return failingSentence(endpoint, day, worst)
  if (day.length === 0) return 'No deliveries in the last 24 hours.'
  const waiting = day.filter(({ state }) => state === 'pending').length
  if (waiting > 0)
    return `${countText(waiting, 'delivery', 'deliveries')} from the last 24 hours ${isOrAre(waiting)} pending.`
  const retried = day.filter(({ attempts_made }) => attempts_made > 1).length
  const first = `${day.length - retried} of ${day.length} delivered on first attempt`
  const later = retried === 0 ? '' : `, ${retried} after a retry,`
  return `${first}${later} in the last 24 hours.`
}

function disabledSentence({ reason, at }: NonNullable<WebhookEndpoint['disabled']>): string {
  const heldText = 'Events are held for 30 days and sent when the endpoint is enabled again.'
  const since = dateTimeText(at)
  if (reason === 'requested') return `Disabled on ${since}. ${heldText}`
  if (reason === 'gone') return `Disabled on ${since} because it returned 410 Gone. ${heldText}`
  return `Disabled automatically on ${since} after failing for too long. ${heldText}`
}

function failingSentence(endpoint: WebhookEndpoint, day: readonly Delivery[], worst: Cause): string {
  const { timeout_seconds, health } = endpoint
  const failed = causesOf(day).flatMap(({ deliveries }) => deliveries)
  const causeTitle = causeText(worst.outcome, worst.status, timeout_seconds)
  const count = worst.deliveries.length
  const mainCauseText =
    `${causeTitle}: ${countText(count, 'delivery', 'deliveries')} from the last 24 hours ` +
    `${count === 1 ? 'has' : 'have'} not been delivered.`
  const others = failed.length - count
  const all =
    others === 0 ? '' : `Together with ${others} from other causes, ${failed.length} are undelivered: `
  return `${mainCauseText} ${sentenceCase(`${all}${retryText(failed)}`)} ${stateSentence(health)}`.trim()
}

/** Whether the failed deliveries are retried automatically. */
function retryText(failed: readonly Delivery[]): string {
  const retrying = failed.filter(({ state }) => state === 'pending').length
  const notRetried = failed.length - retrying
  if (failed.length === 1)
    return notRetried === 0 ? 'it is being retried.' : 'it is not retried until you resend it.'
  if (notRetried === 0) return 'all are being retried.'
  if (retrying === 0) return 'none are retried until you resend them.'
  return `${retrying} ${isOrAre(retrying)} being retried, ${notRetried} ${isOrAre(notRetried)} not retried until you resend ${notRetried === 1 ? 'it' : 'them'}.`
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function stateSentence(health: WebhookEndpoint['health']): string {
  if (health.state === 'healthy')
    return health.last_success_at === null
      ? ''
      : `The last 2xx response was at ${timeText(health.last_success_at)}.`
  const since = health.failing_since_at === null ? '' : ` since ${dateTimeText(health.failing_since_at)}`
  const probe =
    health.next_probe_at === null ? '' : ` The next probe is at ${timeText(health.next_probe_at)}.`
  return `The endpoint has been failing${since}.${probe}`
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
