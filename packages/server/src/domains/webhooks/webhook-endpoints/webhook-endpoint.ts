/** A webhook endpoint: a URL that events are sent to, its subscriptions, and its health. */
import type { Id } from '../../../kernel/id.ts'
import type { Reason, Status } from './machine.ts'

export const orderings = ['none', 'object'] as const
export type Ordering = (typeof orderings)[number]
export const healthStates = ['healthy', 'failing', 'open'] as const
export type HealthState = (typeof healthStates)[number]

/** The limit per workspace, because every endpoint adds to the cost of each event. */
export const maxEndpoints = 20

/** The settings that a request can change. */
export type EndpointSettings = {
  readonly url: string
  readonly name: string | null
  /** Each entry is an event type, `<object>.*` or `*`. No duplicates. */
  readonly eventTypes: readonly string[]
  readonly ordering: Ordering
  readonly maxInFlight: number
  /** Requests per second; null: no limit. */
  readonly rateLimit: number | null
  readonly timeoutSeconds: number
  readonly metadata: { readonly [key: string]: string }
}

export type WebhookEndpoint = EndpointSettings & {
  readonly id: Id<'webhook_endpoint'>
  readonly status: Status
  readonly disabled: { readonly reason: Reason; readonly at: Date } | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  readonly version: number
  readonly sequence: number
}

/** The health according to the last attempts. It changes without a new version of the endpoint. */
export type Health = {
  readonly state: HealthState
  readonly failingSinceAt: Date | null
  readonly lastSuccessAt: Date | null
  /** No request is sent before this time; null: not paused. */
  readonly pausedUntil: Date | null
}

/** A secret without its value. The newest secret does not expire. */
export type Secret = {
  readonly id: Id<'webhook_secret'>
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

/** An endpoint as the API and events show it: with its health and its active secrets, newest first. */
export type EndpointDetails = WebhookEndpoint & {
  readonly health: Health
  readonly secrets: readonly Secret[]
}

export type RevealedEndpoint = EndpointDetails & { readonly secret: string }
