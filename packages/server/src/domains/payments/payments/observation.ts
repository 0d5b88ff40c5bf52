/**
 * A reported result of an operation. An observation has one of five sources: the response to the operation
 * itself, a lookup, a provider event, a person who confirmed the result with the provider, or a rule, if the
 * provider cannot be queried.
 */
import type { Attempt, Operation, Payment } from './payment.ts'
import type { NewProviderCall } from './provider-call.ts'
import type { OperationResult } from './rules/decide.ts'

export type Observation =
  | ResponseObservation
  | LookupObservation
  | WebhookObservation
  | PersonObservation
  | RuleObservation

/** The response to the operation, or to `complete` after the payer has returned. */
export type ResponseObservation = CallObservation & {
  readonly source: 'response'
  /** Null for `complete`, whose requests are not compared with earlier ones. */
  readonly requestHash: Buffer | null
  /** The operation, or the return of the payer, was sent again to find out the result. */
  readonly isReplay: boolean
}

/**
 * The response to a `lookup` or `close`. `ifVersion` is set if the provider has no record of the operation,
 * so that the result was inferred: it applies only if the operation still has this version.
 */
export type LookupObservation = CallObservation & { readonly source: 'lookup'; readonly ifVersion?: number }

/** An authenticated event of the provider. */
export type WebhookObservation = ObservedResult & {
  readonly source: 'webhook'
  readonly sealedToken: SealedToken
}

/** A result that a person entered in a review. */
export type PersonObservation = ObservedResult & { readonly source: 'person' }

/**
 * A result that was determined without calling the provider: still unknown or pending because the provider
 * cannot be queried, or closed because the payer can no longer return. It applies only if the operation still
 * has this version.
 */
export type RuleObservation = ObservedResult & { readonly source: 'rule'; readonly ifVersion: number }

type ObservedResult = {
  readonly result: OperationResult
  /** The reported amount or currency differs from the requested one. */
  readonly differs: boolean
}

export type CallObservation = ObservedResult & {
  readonly call: NewProviderCall
  /** The URL for a payer who must authenticate; null for every other result. */
  readonly payerUrl: string | null
  readonly sealedToken: SealedToken
}

/** The encrypted provider token of a card that is to be saved; null if there is none. */
export type SealedToken = Buffer | null

/** An observation with its payment, attempt and operation. */
export type ObservedOperation = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly observation: Observation
}

/** The observation of a provider call; null for a provider event, a manual result or a rule. */
export function callOf(observation: Observation): CallObservation | null {
  return observation.source === 'response' || observation.source === 'lookup' ? observation : null
}

export function sealedTokenOf(observation: Observation): SealedToken {
  return 'sealedToken' in observation ? observation.sealedToken : null
}

/** Whether the resolver checked the operation. The intervals between such checks grow. */
export function isCheck(observation: Observation): boolean {
  const { source } = observation
  return source === 'lookup' || source === 'rule' || (source === 'response' && observation.isReplay)
}
