/** What an answer means, and what follows from it for the delivery and for the endpoint. Pure. */
import type { Mode } from '../../kernel/id.ts'
import type { Outcome } from './delivery.ts'
import { waitAfter } from './schedule.ts'

/** What came back, as far as it matters here. */
export type Reply =
  | { readonly is: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly is: 'failed'; readonly cause: string }

/** Longer than this no receiver can make us wait. */
const longestRestSeconds = 24 * 60 * 60
/** An address that is not allowed will hardly be in five seconds. */
const blockedWaitSeconds = 60 * 60

/** Null: the fault is ours, and it was not an attempt. */
export function outcomeOf(reply: Reply): Outcome | null {
  if (reply.is === 'failed') return failures[reply.cause] ?? null
  const { status, headers } = reply
  if (status >= 200 && status < 300) return 'ok'
  if (status >= 300 && status < 400) return 'redirect'
  if (status === 410) return 'gone'
  if ((status === 429 || status === 503) && asksForRest(headers['retry-after'])) return 'throttled'
  return 'http_error'
}

/** What cannot be understood asks for nothing; neither does no time at all. */
function asksForRest(retryAfter: string | undefined): boolean {
  const text = retryAfter?.trim() ?? ''
  return secondsOf.test(text) ? Number(text) > 0 : dateOf.test(text)
}

const secondsOf = /^\d{1,9}$/
/** Only the one form that HTTP asks for: the machine reads many an odd text as a date. */
const dateOf = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const failures: Readonly<Record<string, Outcome>> = {
  timeout: 'timeout',
  dns_failed: 'dns_failed',
  connect_failed: 'connect_failed',
  reset: 'connect_failed',
  tls_failed: 'tls_failed',
  blocked: 'blocked',
}

/** Whether it speaks against the receiver as a whole, rather than against this one event. */
export function countsForBreaker(outcome: Outcome, status: number | null): boolean {
  if (outcome === 'http_error') return status !== null && status >= 500
  return ['timeout', 'dns_failed', 'connect_failed', 'tls_failed', 'blocked'].includes(outcome)
}

/** Seconds that the receiver asks to be left alone; null if it does not ask, or not in a way we understand. */
export function restOf(outcome: Outcome, retryAfter: string | undefined, now: Date): number | null {
  if (outcome !== 'throttled' || retryAfter === undefined) return null
  const text = retryAfter.trim()
  const seconds = secondsOf.test(text) ? Number(text) : secondsUntil(text, now)
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), longestRestSeconds) : null
}

function secondsUntil(text: string, now: Date): number {
  return dateOf.test(text) ? (Date.parse(text) - now.getTime()) / 1000 : Number.NaN
}

export type Next =
  | { readonly is: 'delivered' }
  | { readonly is: 'again'; readonly waitSeconds: number }
  | { readonly is: 'exhausted' }
  | { readonly is: 'gone' }

export type Failed = {
  readonly outcome: Outcome
  readonly mode: Mode
  /** Attempts of this round, this one among them. */
  readonly tries: number
  readonly restSeconds: number | null
  readonly random: number
}

/** What follows for the delivery. */
export function nextOf({ outcome, mode, tries, restSeconds, random }: Failed): Next {
  if (outcome === 'ok') return { is: 'delivered' }
  if (outcome === 'gone') return { is: 'gone' }
  const scheduled = waitAfter(mode, tries, random)
  if (scheduled === null) return { is: 'exhausted' }
  const least = outcome === 'blocked' ? blockedWaitSeconds : (restSeconds ?? 0)
  return { is: 'again', waitSeconds: Math.max(scheduled, least) }
}
