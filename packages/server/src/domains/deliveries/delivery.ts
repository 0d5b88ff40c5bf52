/** A delivery is one event on its way to one endpoint; an attempt is one request of it. */
import type { Id } from '../../kernel/id.ts'

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'held', 'deleted'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Why an attempt is made. */
export const triggers = ['schedule', 'probe', 'resend', 'recover', 'test'] as const
export type AttemptTrigger = (typeof triggers)[number]

/** What became of an attempt. */
export const outcomes = [
  'ok',
  'redirect',
  'gone',
  'throttled',
  'http_error',
  'timeout',
  'dns_failed',
  'connect_failed',
  'tls_failed',
  'blocked',
] as const
export type Outcome = (typeof outcomes)[number]

/** One event on its way to one endpoint. */
export type Delivery = {
  readonly id: Id<'delivery'>
  readonly eventId: Id<'event'>
  readonly eventType: string
  readonly webhookEndpointId: Id<'webhook_endpoint'>
  readonly state: DeliveryState
  /** When the next attempt is due; of no meaning unless it is pending. */
  readonly dueAt: Date
  readonly trigger: Exclude<AttemptTrigger, 'probe'>
  /** Attempts of the current round; a resend begins a new one. */
  readonly tries: number
  /** All attempts there ever were. */
  readonly attempts: number
  readonly lastOutcome: Outcome | null
  readonly lastStatus: number | null
  readonly settledAt: Date | null
  readonly version: number
  /** How often it was given up: each time is told once. */
  readonly sequence: number
}

/** What was tried and what came back. */
export type Attempt = {
  readonly number: number
  readonly trigger: AttemptTrigger
  readonly startedAt: Date
  readonly durationMs: number
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
  readonly connectionReused: boolean
  readonly outcome: Outcome
  readonly status: number | null
  readonly remoteIp: string | null
  readonly detail: string | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
  readonly signatureDigest: string
  readonly webhookSignature: string
  readonly webhookTimestamp: number
  readonly secretIds: readonly Id<'webhook_secret'>[]
  readonly nextAttemptAt: Date | null
  readonly worker: string
}
