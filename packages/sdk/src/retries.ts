/** When a try is repeated, and how long to wait before. Pure, but for the jitter. */
import { ConnectionError, type SwitchyardError, UnknownOutcomeError } from './errors.ts'

const firstMs = 500
const longestMs = 8_000
/** Whoever is asked to wait longer than this has something better to do: the error says how long. */
const longestAskedSeconds = 60

/** How one try failed: the server said no, or no answer came. */
export type Failure =
  | { readonly is: 'refused'; readonly error: SwitchyardError }
  | { readonly is: 'lost'; readonly error: ConnectionError; readonly wasSent: boolean }

/** Half of the time is fixed, half is drawn, so that clients that failed together do not come back together. */
export function waitMs(tries: number, retryAfterSeconds: number | null, random = Math.random): number {
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1000
  const full = Math.min(longestMs, firstMs * 2 ** (tries - 1))
  return full / 2 + (random() * full) / 2
}

export function mayRepeat(failure: Failure): boolean {
  if (failure.is === 'lost') return true
  const { error } = failure
  return error.retryable && (error.retryAfterSeconds ?? 0) <= longestAskedSeconds
}

/** What the caller is told after the last try. `lostOne`: an answer of this or an earlier try was lost. */
export function finalError(failure: Failure, key: string | null, lostOne: boolean): SwitchyardError {
  if (key === null || !lostOne) return failure.error
  if (failure.is === 'refused' && settles(failure.error)) return failure.error
  const message = `The answer was lost; the request may have had its effect. Repeat it with the idempotency key ${key}.`
  return new UnknownOutcomeError(message, { idempotencyKey: key, retryable: true, cause: failure.error })
}

/** Such a refusal comes after the look at the key, or would have met the lost try as well: nothing happened. */
function settles({ retryable, status }: SwitchyardError): boolean {
  return !retryable && status !== 401 && status !== 403
}

/** What a runtime says when it could not even connect. Anything else may have happened after sending. */
const notConnected = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'],
])

export function lost(cause: unknown, sentence: string, idempotencyKey: string | null): Failure {
  const error = new ConnectionError(sentence, { cause, idempotencyKey, retryable: true })
  const codes = [cause, (cause as { cause?: unknown } | null)?.cause].map((one) =>
    String((one as { code?: unknown } | null | undefined)?.code),
  )
  return { is: 'lost', error, wasSent: !codes.some((code) => notConnected.has(code)) }
}
