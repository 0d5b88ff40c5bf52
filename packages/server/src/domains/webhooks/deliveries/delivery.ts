/** A delivery sends one event to one endpoint; an attempt is one HTTP request of a delivery. */
import type { Id } from '../../../kernel/id.ts'

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'held', 'deleted'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The reason for an attempt. */
export const triggers = ['schedule', 'probe', 'resend', 'recover', 'test'] as const
export type AttemptTrigger = (typeof triggers)[number]

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
export type DeliveryOutcome = (typeof outcomes)[number]

export type Delivery = {
  readonly id: Id<'delivery'>
  readonly eventId: Id<'event'>
  readonly eventType: string
  readonly webhookEndpointId: Id<'webhook_endpoint'>
  readonly state: DeliveryState
  /** Due time of the next attempt; only meaningful while the delivery is pending. */
  readonly dueAt: Date
  readonly trigger: Exclude<AttemptTrigger, 'probe'>
  /** Attempts in the current round; a resend starts a new round. */
  readonly tries: number
  /** The total number of attempts. */
  readonly attempts: number
  readonly lastOutcome: DeliveryOutcome | null
  readonly lastStatus: number | null
  readonly settledAt: Date | null
  readonly version: number
  /** How many times the delivery was exhausted. Each time emits one event. */
  readonly sequence: number
}

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
  readonly outcome: DeliveryOutcome
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
