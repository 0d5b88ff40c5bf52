/** Interprets the response of a receiver, and decides the next step of the delivery. No side effects. */
import type { Mode } from '../../../kernel/id.ts'
import type { DeliveryOutcome } from './delivery.ts'
import { waitAfter } from './schedule.ts'

/** The parts of an `OutboundReply` that determine the outcome. */
export type Reply =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'failed'; readonly cause: string }

/** The longest pause a receiver can request. */
const maxPauseSeconds = 24 * 60 * 60
/** A blocked address is unlikely to be allowed by the first retry, so wait longer. */
const blockedWaitSeconds = 60 * 60

/** Null: the request failed because of an internal error, which does not count as an attempt. */
export function outcomeOf(reply: Reply): DeliveryOutcome | null {
  if (reply.kind === 'failed') return outcomeByCause[reply.cause] ?? null
  const { status, headers } = reply
  if (status >= 200 && status < 300) return 'ok'
  if (status >= 300 && status < 400) return 'redirect'
  if (status === 410) return 'gone'
  if ((status === 429 || status === 503) && requestsPause(headers['retry-after'])) return 'throttled'
  return 'http_error'
}

/** An unreadable or zero value requests no pause. */
function requestsPause(retryAfter: string | undefined): boolean {
  const text = retryAfter?.trim() ?? ''
  return secondsPattern.test(text) ? Number(text) > 0 : httpDatePattern.test(text)
}

const secondsPattern = /^\d{1,9}$/
/** Only the format of the HTTP specification: `Date.parse` accepts many others. */
const httpDatePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const outcomeByCause: Readonly<Record<string, DeliveryOutcome>> = {
  timeout: 'timeout',
  dns_failed: 'dns_failed',
  connect_failed: 'connect_failed',
  reset: 'connect_failed',
  tls_failed: 'tls_failed',
  blocked: 'blocked',
}

/** Whether a failure indicates a problem with the receiver as a whole, rather than with this event. */
export function countsTowardBreaker(outcome: DeliveryOutcome, status: number | null): boolean {
  if (outcome === 'http_error') return status !== null && status >= 500
  return ['timeout', 'dns_failed', 'connect_failed', 'tls_failed', 'blocked'].includes(outcome)
}

/** The pause in seconds that the receiver requests with Retry-After; null if it requests none. */
export function requestedPauseSeconds(
  outcome: DeliveryOutcome,
  retryAfter: string | undefined,
  now: Date,
): number | null {
  if (outcome !== 'throttled' || retryAfter === undefined) return null
  const text = retryAfter.trim()
  const seconds = secondsPattern.test(text) ? Number(text) : secondsUntil(text, now)
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), maxPauseSeconds) : null
}

function secondsUntil(text: string, now: Date): number {
  return httpDatePattern.test(text) ? (Date.parse(text) - now.getTime()) / 1000 : Number.NaN
}

export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly waitSeconds: number }
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'gone' }

export type EndedAttempt = {
  readonly outcome: DeliveryOutcome
  readonly mode: Mode
  /** Attempts in the current round, including this one. */
  readonly tries: number
  readonly pauseSeconds: number | null
  readonly random: number
}

export function decideNextStep({ outcome, mode, tries, pauseSeconds, random }: EndedAttempt): NextStep {
  if (outcome === 'ok') return { kind: 'delivered' }
  if (outcome === 'gone') return { kind: 'gone' }
  const scheduled = waitAfter(mode, tries, random)
  if (scheduled === null) return { kind: 'exhausted' }
  const minSeconds = outcome === 'blocked' ? blockedWaitSeconds : (pauseSeconds ?? 0)
  return { kind: 'retry', waitSeconds: Math.max(scheduled, minSeconds) }
}
