/**
 * What a call may throw. One class per family of statuses, so that `instanceof` and `code` are enough to
 * decide. No error holds the token or a header of the request.
 */
import type { ErrorCode, Problem } from './types.generated.ts'

/** One fault of a request: where it is, which rule it breaks, and a sentence. */
export type Fault = NonNullable<Problem['errors']>[number]

export type ErrorDetails = {
  readonly status?: number | null
  readonly problem?: Problem | null
  readonly requestId?: string | null
  readonly idempotencyKey?: string | null
  readonly retryAfterSeconds?: number | null
  readonly retryable?: boolean
  readonly cause?: unknown
}

export class SwitchyardError extends Error {
  override name = 'SwitchyardError'
  /** The word to decide by. Null if no answer came, or one that is not Switchyard's. */
  readonly code: ErrorCode | (string & {}) | null
  /** The status of the answer; null if none came. */
  readonly status: number | null
  /** Every fault of the request. */
  readonly errors: readonly Fault[]
  /** Whether the same request, with the same key, may succeed later. */
  readonly retryable: boolean
  /** Find it in the log of calls with `requests.get`. */
  readonly requestId: string | null
  /** The key that the call was sent with: repeat it with this one. Null for reads and deletions. */
  readonly idempotencyKey: string | null
  /** How long the server asks to wait; null if it does not say. */
  readonly retryAfterSeconds: number | null
  /** The whole answer, as RFC 9457 has it. */
  readonly problem: Problem | null

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    const problem = details.problem ?? null
    this.code = problem?.code ?? null
    this.status = details.status ?? null
    this.errors = problem?.errors ?? []
    this.retryable = details.retryable ?? false
    this.requestId = problem?.request_id ?? details.requestId ?? null
    this.idempotencyKey = details.idempotencyKey ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.problem = problem
  }
}

/** 400, 422 and whatever else is wrong with the request itself: `errors` lists every fault. */
export class InvalidRequestError extends SwitchyardError {
  override name = 'InvalidRequestError'
}

/** 401: the token is missing, wrong, over, or belongs to the other address. */
export class AuthenticationError extends SwitchyardError {
  override name = 'AuthenticationError'
}

/** 402: the payment was declined. */
export class DeclineError extends SwitchyardError {
  override name = 'DeclineError'
}

/** 403: the role of the token does not allow it. */
export class PermissionError extends SwitchyardError {
  override name = 'PermissionError'
}

/** 404: there is no such object, or no such path. */
export class NotFoundError extends SwitchyardError {
  override name = 'NotFoundError'
}

/**
 * 409: not possible in the state the object is in; `problem` has `current_status` and `allowed_actions`.
 * 412: the object is not in the version that `ifMatch` names.
 */
export class StateError extends SwitchyardError {
  override name = 'StateError'
}

/** 429: too many requests; `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends SwitchyardError {
  override name = 'RateLimitError'
}

/** 5xx, after all retries. For a write, whether it had an effect is not certain: repeat it with its key. */
export class ServerError extends SwitchyardError {
  override name = 'ServerError'
}

/** No answer came, and the request had no effect or may be repeated as it is. */
export class ConnectionError extends SwitchyardError {
  override name = 'ConnectionError'
}

/**
 * A write was sent and its answer was lost, so that it may have had its effect or not. Repeat the call
 * with this `idempotencyKey`: it has its effect once, and gets its answer.
 */
export class UnknownOutcomeError extends SwitchyardError {
  override name = 'UnknownOutcomeError'
  declare readonly idempotencyKey: string
}

/** Which check a webhook did not pass. */
export type WebhookRefusal =
  | 'no_header'
  | 'bad_header'
  | 'no_match'
  | 'stale'
  | 'future'
  | 'envelope_differs'
  | 'data_not_string'
  | 'bad_body'

/**
 * A webhook that must not be acted on. Answer it with 400. It holds no secret, and nothing of the body,
 * so it may be logged.
 */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  /** The word to decide by; the message says what to look at. */
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}

const classes: Record<number, typeof SwitchyardError> = {
  401: AuthenticationError,
  402: DeclineError,
  403: PermissionError,
  404: NotFoundError,
  409: StateError,
  412: StateError,
  429: RateLimitError,
}

/** The error behind an answer that is no success. */
export function errorOf(answer: Response, text: string, idempotencyKey: string | null): SwitchyardError {
  const { status, headers } = answer
  const problem = problemIn(text)
  const details = {
    status,
    problem,
    requestId: headers.get('request-id'),
    idempotencyKey,
    retryAfterSeconds: readRetryAfter(headers.get('retry-after')),
    retryable: status >= 500 || (problem?.retryable ?? status === 429),
  }
  return new (classOf(status))(problem === null ? strangeAnswer(status) : messageOf(problem), details)
}

function classOf(status: number): typeof SwitchyardError {
  if (status >= 500) return ServerError
  return classes[status] ?? (status >= 400 ? InvalidRequestError : SwitchyardError)
}

function strangeAnswer(status: number): string {
  if (status < 400) return `The address answers with a redirect (${status}). Set baseUrl to where it leads.`
  return `The answer has status ${status}, but is not one of Switchyard's. Is baseUrl right?`
}

/** Whatever stands between us and the server may answer too, in its own words. */
function problemIn(text: string): Problem | null {
  try {
    const problem = JSON.parse(text)
    return typeof problem?.code === 'string' && typeof problem.detail === 'string' ? problem : null
  } catch {
    return null
  }
}

function messageOf({ detail, code, errors = [], request_id }: Problem): string {
  const faults = errors.map((fault) => ` ${fault.pointer} ${fault.detail}.`)
  return `${detail}${faults.join('')} (${code}, ${request_id})`
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
