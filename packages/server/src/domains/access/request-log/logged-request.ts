import type { Id } from '../../../kernel/id.ts'

/** A request to the API as its workspace can read it. Free text in the bodies is redacted. */
export type LoggedRequest = {
  readonly id: Id<'request'>
  readonly tokenId: Id<'api_token'> | null
  /** The person who made the request in the dashboard. */
  readonly personId: Id<'person'> | null
  readonly method: string
  readonly path: string
  readonly operation: string | null
  readonly status: number
  readonly errorCode: string | null
  readonly apiVersion: string
  readonly idempotencyKey: string | null
  readonly replayed: boolean
  readonly durationMs: number
  readonly requestBody: string | null
  readonly responseBody: string | null
  readonly createdAt: Date
}
