import type { Id } from '../../kernel/id.ts'

/** A call of the API as its workspace can read it: bodies hold no texts that a caller chose. */
export type LoggedRequest = {
  readonly id: Id<'request'>
  readonly tokenId: Id<'api_token'> | null
  /** Who called from the dashboard. */
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
