/** The record of a call to a provider: its result and metrics, without the request or response body. */
import type { Id } from '../../../kernel/id.ts'

export type NewProviderCall = {
  /**
   * The step that was called: the operation itself, `lookup`, `close`, or `complete` after the payer has
   * returned.
   */
  readonly step: string
  /** The HTTP status of the response; null if there was none. */
  readonly status: number | null
  /** The result of the operation according to this call. */
  readonly outcome: string
  /** The error code, if there was an error. */
  readonly fault: string | null
  readonly mayHaveBeenSent: boolean
  readonly requestBytes: number
  readonly answerBytes: number
  readonly durationMs: number
}

export type ProviderCall = NewProviderCall & {
  /** The sort key in the timeline: the last part of an id, which starts with a timestamp. */
  readonly sortKey: string
  readonly operationId: Id<'operation'>
  readonly createdAt: Date
}
