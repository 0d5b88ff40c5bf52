/** When to retry, and how long to wait before each retry. Pure except for the jitter. */
import { ConnectionError, type SwitchyardError, UnknownOutcomeError } from './errors.ts'

const initialDelayMs = 500
const maxDelayMs = 8_000
/** If `Retry-After` is longer, the call fails immediately, and the error contains the time. */
const maxRetryAfterSeconds = 60

/** How one attempt failed: the server rejected it, or there was no response. */
export type Failure =
  | { readonly kind: 'rejected'; readonly error: SwitchyardError }
  | { readonly kind: 'lost'; readonly error: ConnectionError; readonly wasSent: boolean }

/** Exponential backoff. Half of the time is random, so that clients that failed together do not retry together. */
export function retryDelayMs(
  attempt: number,
  retryAfterSeconds: number | null,
  random = Math.random,
): number {
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1000
  const delayMs = Math.min(maxDelayMs, initialDelayMs * 2 ** (attempt - 1))
  return delayMs / 2 + (random() * delayMs) / 2
}

export function isRetryable(failure: Failure): boolean {
  if (failure.kind === 'lost') return true
  const { error } = failure
  return error.retryable && (error.retryAfterSeconds ?? 0) <= maxRetryAfterSeconds
}

/** The error after the last attempt. `wasResponseLost` includes responses of earlier attempts. */
export function finalError(failure: Failure, key: string | null, wasResponseLost: boolean): SwitchyardError {
  if (key === null || !wasResponseLost) return failure.error
  if (failure.kind === 'rejected' && provesNoEffect(failure.error)) return failure.error
  const message = `The response was lost, so the request may have taken effect. Retry it with the idempotency key ${key}.`
  return new UnknownOutcomeError(message, { idempotencyKey: key, retryable: true, cause: failure.error })
}

/**
 * Whether this error proves that the lost attempt had no effect: either the server returns it only after it has checked
 * the idempotency key, or the lost attempt would have failed with it too.
 */
function provesNoEffect({ retryable, status }: SwitchyardError): boolean {
  return !retryable && status !== 401 && status !== 403 && status !== 421
}

/** Error codes of runtimes for failed connections. With any other error the request may have been sent. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
])

export function connectionFailure(cause: unknown, message: string, idempotencyKey: string | null): Failure {
  const error = new ConnectionError(message, { cause, idempotencyKey, retryable: true })
  const codes = [cause, (cause as { cause?: unknown } | null)?.cause].map((each) =>
    String((each as { code?: unknown } | null | undefined)?.code),
  )
  return { kind: 'lost', error, wasSent: !codes.some((code) => notConnected.has(code)) }
}
