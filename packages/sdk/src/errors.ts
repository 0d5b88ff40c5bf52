/**
 * The errors that calls throw. There is one class per group of statuses; check `instanceof` and `code`. No error
 * contains the token or a request header.
 */
import type { ErrorCode, Problem } from './types.generated.ts'

/** One validation error of a request: its JSON pointer, its code and a message. */
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
  /** The error code. Null without a response, or if the response is not from Switchyard. */
  readonly code: ErrorCode | (string & {}) | null
  /** The HTTP status; null without a response. */
  readonly status: number | null
  /** Every validation error of the request. */
  readonly errors: readonly Fault[]
  /** Whether the same request, with the same idempotency key, may succeed later. */
  readonly retryable: boolean
  /** The request id. Look the request up with `requests.get`. */
  readonly requestId: string | null
  /** The idempotency key of the request; use it again to retry. Null for reads and deletions. */
  readonly idempotencyKey: string | null
  /** How long to wait before a retry, from `Retry-After`; null without that header. */
  readonly retryAfterSeconds: number | null
  /** The full response as RFC 9457 problem details. */
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

/** 400, 422 and other 4xx: the request is invalid. `errors` lists every validation error. */
export class InvalidRequestError extends SwitchyardError {
  override name = 'InvalidRequestError'
}

/** 401: the token is missing, invalid or expired, or belongs to the other mode. */
export class AuthenticationError extends SwitchyardError {
  override name = 'AuthenticationError'
}

/** 402: the payment was declined. */
export class DeclineError extends SwitchyardError {
  override name = 'DeclineError'
}

/** 403: the role of the token does not allow the operation. */
export class PermissionError extends SwitchyardError {
  override name = 'PermissionError'
}

/** 404: there is no such object, or no such path. */
export class NotFoundError extends SwitchyardError {
  override name = 'NotFoundError'
}

/**
 * 409: not possible in the current state of the object; `problem` has `current_status` and `allowed_actions`.
 * 412: the object no longer has the ETag given as `ifMatch`.
 */
export class StateError extends SwitchyardError {
  override name = 'StateError'
}

/**
 * 421: the workspace is in another cell of the installation. The request had no effect. `cellAddress` is the address of that
 * cell. Set `baseUrl` to it if you know that it belongs to your installation, or list it in `cells`.
 */
export class WrongCellError extends SwitchyardError {
  override name = 'WrongCellError'

  /** Null if the response is not from Switchyard. */
  get cellAddress(): string | null {
    return this.problem?.cell_address ?? null
  }
}

/** 429: too many requests; `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends SwitchyardError {
  override name = 'RateLimitError'
}

/** 5xx, after all retries. A write may or may not have taken effect: retry it with its idempotency key. */
export class ServerError extends SwitchyardError {
  override name = 'ServerError'
}

/** No response. The request had no effect, or is safe to retry without a key. */
export class ConnectionError extends SwitchyardError {
  override name = 'ConnectionError'
}

/**
 * A write was sent and its response was lost, so it may or may not have taken effect. Retry the call with this
 * `idempotencyKey`: it takes effect once, and you get its response.
 */
export class UnknownOutcomeError extends SwitchyardError {
  override name = 'UnknownOutcomeError'
  declare readonly idempotencyKey: string
}

/** Why the verification of a webhook failed. */
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
 * The webhook is not authentic: do not process it, and respond with 400. The error contains neither the secret nor
 * the body, so it is safe to log.
 */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  /** The error code; the message explains what to check. */
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
  421: WrongCellError,
  429: RateLimitError,
}

/** Converts an unsuccessful response to an error. */
export function errorOf(response: Response, text: string, idempotencyKey: string | null): SwitchyardError {
  const { status, headers } = response
  const problem = parseProblem(text)
  const details = {
    status,
    problem,
    requestId: headers.get('request-id'),
    idempotencyKey,
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
    retryable: status >= 500 || (problem?.retryable ?? status === 429),
  }
  return new (classOf(status))(
    problem === null ? unexpectedResponseMessage(status) : messageOf(problem),
    details,
  )
}

function classOf(status: number): typeof SwitchyardError {
  if (status >= 500) return ServerError
  return classes[status] ?? (status >= 400 ? InvalidRequestError : SwitchyardError)
}

function unexpectedResponseMessage(status: number): string {
  if (status < 400) return `The server responded with a redirect (${status}). Set baseUrl to its target.`
  return `The response with status ${status} is not from Switchyard. Check baseUrl.`
}

/** Null if the response is not from Switchyard, for example from a proxy. */
function parseProblem(text: string): Problem | null {
  try {
    const problem = JSON.parse(text)
    return typeof problem?.code === 'string' && typeof problem.detail === 'string' ? problem : null
  } catch {
    return null
  }
}

/** With a list of errors, `detail` only repeats the first one. */
function messageOf({ title, detail, code, errors = [], request_id }: Problem): string {
  const sentences = errors.map((fault) => ` ${fault.pointer} ${fault.detail}.`)
  const text = sentences.length === 0 ? detail : `${title}:${sentences.join('')}`
  return `${text} (${code}, ${request_id})`
}

/** The header contains seconds or a date. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
