/** A call to a provider, as it is kept: enough to see what happened, nothing of what was said. */
import type { Id } from '../../kernel/id.ts'

export type NewCall = {
  /** What was asked: to do it, to look it up, to close it, to go on after the payer acted. */
  readonly step: string
  /** Of the answer; null if there was none. */
  readonly status: number | null
  /** What the call proved. */
  readonly outcome: string
  /** Our word for what went wrong, if something did. */
  readonly fault: string | null
  readonly mayHaveBeenSent: boolean
  readonly requestBytes: number
  readonly answerBytes: number
  readonly durationMs: number
}

export type Call = NewCall & {
  /** Where it stands among everything else of the payment: the end of an id, which begins with a time. */
  readonly place: string
  readonly operationId: Id<'operation'>
  readonly createdAt: Date
}
