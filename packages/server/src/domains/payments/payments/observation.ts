/**
 * A reported result of an operation. An observation has one of four sources: the response to the operation
 * itself, a lookup, a provider event, or a person who confirmed the result with the provider.
 */
import type { Attempt, Operation, Payment } from './payment.ts'
import type { NewProviderCall } from './provider-call.ts'
import type { OperationResult } from './rules/decide.ts'

export type Observation = ResponseObservation | LookupObservation | WebhookObservation | PersonObservation

/** The response to the operation, or to `complete` after the payer has returned. */
export type ResponseObservation = CallObservation & {
  readonly source: 'response'
  /** Null for `complete`, which is not replayed. */
  readonly requestHash: Buffer | null
  /** The operation was sent again to find out its result. */
  readonly isReplay: boolean
}

/** The response to a `lookup` or `close`. */
export type LookupObservation = CallObservation & { readonly source: 'lookup' }

/** An authenticated event of the provider. */
export type WebhookObservation = ObservedResult & { readonly source: 'webhook' }

/** A result that a person entered in a review. */
export type PersonObservation = ObservedResult & { readonly source: 'person' }

type ObservedResult = {
  readonly result: OperationResult
  /** The reported amount or currency differs from the requested one. */
  readonly differs: boolean
}

export type CallObservation = ObservedResult & {
  readonly call: NewProviderCall
  /** The URL for a payer who must authenticate; null for every other result. */
  readonly payerUrl: string | null
  /** The encrypted provider token of a card that is to be saved; null if there is none. */
  readonly sealedToken: Buffer | null
}

/** An observation with its payment, attempt and operation. */
export type ObservedOperation = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly observation: Observation
}

/** The observation of a provider call; null for a provider event or a manual result. */
export function callOf(observation: Observation): CallObservation | null {
  return observation.source === 'response' || observation.source === 'lookup' ? observation : null
}

/** Whether the provider was called to find out the result. The intervals between such checks grow. */
export function isCheck(observation: Observation): boolean {
  return observation.source === 'lookup' || (observation.source === 'response' && observation.isReplay)
}
