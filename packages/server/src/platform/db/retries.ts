/**
 * Handles failures of a unit of work that the caller did not cause: runs it again, waits for the holder of
 * the same idempotency key, or reports that the database is unavailable.
 */
import { backoffSeconds } from '../../kernel/backoff.ts'
import type { Caller } from '../../kernel/caller.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Id, Kind } from '../../kernel/id.ts'

const maxRuns = 4
/** Each connection of the pool can have its own stale plan, so a unit may fail once per connection. */
const maxStaleRuns = 64
const uncertainDetail =
  'The connection to the database was lost while committing. The request may have had an effect.'
/** How long a repeated request waits for the response of the first one before it gets 409. */
const maxClaimWaitMs = 5_000

/** Error codes of conflicts between units: the unit can run again. */
const retryableCodes = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
])

/** Error codes of the database or the socket when the database is unavailable. */
const unavailableCodes = new Set([
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
])

/** A statement or transaction timed out, or there are too many connections. */
const overloadCodes = new Set(['57014', '25P04', '53300'])

/** A row was changed between reading and writing it. The unit runs again. */
export class ConcurrentChange extends Error {
  override name = 'ConcurrentChange'

  constructor(id: Id<Kind>) {
    super(`${id} was changed concurrently.`)
  }
}

/** The connection was lost between COMMIT and its result: the unit may have been committed. */
export class CommitLost extends Error {
  override name = 'CommitLost'

  constructor(cause: unknown) {
    super('The connection was lost while committing.', { cause })
  }
}

export async function withRetries<T>(caller: Caller | null, run: () => Promise<T>): Promise<T> {
  const startedMs = monotonicMs()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const waitMs = retryDelayMs(error, { caller, attempt, elapsedMs: monotonicMs() - startedMs })
      if (waitMs === null) throw toRefusal(error)
      // No connection is held while waiting: repeated requests must not exhaust the pool.
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

type FailedRun = { readonly caller: Caller | null; readonly attempt: number; readonly elapsedMs: number }

/** The delay before the next run; null to give up. */
function retryDelayMs(error: unknown, { caller, attempt, elapsedMs }: FailedRun): number | null {
  const waitMs = 1000 * backoffSeconds({ attempt, baseSeconds: 0.01, capSeconds: 0.25 })
  if (isKeyInUse(error)) return elapsedMs + waitMs < maxClaimWaitMs ? waitMs : null
  if (isStalePlan(error)) return attempt < maxStaleRuns ? 0 : null
  if (attempt >= maxRuns) return null
  if (error instanceof ConcurrentChange || retryableCodes.has(codeOf(error))) return waitMs
  if (isConnectionLost(error)) return waitMs
  // With an idempotency key, the next run waits until the lost transaction ends, and finds its response if it
  // was committed.
  return error instanceof CommitLost && caller?.request?.replay ? waitMs : null
}

function toRefusal(error: unknown): unknown {
  // 55P03: the row was locked for longer than a request may wait.
  if (error instanceof ConcurrentChange || codeOf(error) === '55P03') return new Refusal('conflict', {})
  if (isConnectionLost(error) || isOverloaded(error))
    return new Refusal('unavailable', { retryAfterSeconds: 1 })
  if (error instanceof CommitLost)
    return new Refusal('unavailable', { detail: uncertainDetail, retryAfterSeconds: 1 })
  return error
}

function isKeyInUse(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'idempotency_key_in_use'
}

/**
 * A migration changed a table that a prepared statement uses. A new connection prepares the statement again.
 */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as Error).message.includes('cached plan')
}

export function isConnectionLost(error: unknown): boolean {
  if (unavailableCodes.has(codeOf(error))) return true
  const message = error instanceof Error ? error.message : ''
  return /Connection terminated|Query read timeout|not queryable/.test(message)
}

/** Overload: no connection is free, or a statement timed out. Retrying would make it worse. */
function isOverloaded(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return overloadCodes.has(codeOf(error)) || message.includes('timeout exceeded when trying to connect')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
