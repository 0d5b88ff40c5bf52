/** A webhook endpoint: an address that events are sent to, what it asks for, and how it fares. */
import type { Id } from '../../kernel/id.ts'
import type { Reason, Status } from './machine.ts'

export const orderings = ['none', 'object'] as const
export type Ordering = (typeof orderings)[number]
export const healthStates = ['healthy', 'failing', 'open'] as const
export type HealthState = (typeof healthStates)[number]

/** More would make each event of the workspace more costly for everyone. */
export const maxEndpoints = 20

/** What a caller may set. */
export type EndpointSettings = {
  readonly url: string
  readonly name: string | null
  /** A type, `<object>.*` or `*`, each once. */
  readonly eventTypes: readonly string[]
  readonly ordering: Ordering
  readonly maxInFlight: number
  /** Requests per second; null: as many as it takes. */
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

/** How the last attempts went. It changes with the attempts, not with the endpoint. */
export type Health = {
  readonly state: HealthState
  readonly failingSinceAt: Date | null
  readonly lastSuccessAt: Date | null
  /** Nothing is sent before; null: it does not rest. */
  readonly restUntil: Date | null
}

/** A secret without its text. The newest has no end. */
export type Secret = {
  readonly id: Id<'webhook_secret'>
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

/** As it is shown and told: with its health and the secrets that sign now, the newest first. */
export type ObservedEndpoint = WebhookEndpoint & {
  readonly health: Health
  readonly secrets: readonly Secret[]
}

export type RevealedEndpoint = ObservedEndpoint & { readonly secret: string }
