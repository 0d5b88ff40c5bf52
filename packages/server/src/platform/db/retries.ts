/**
 * Handles failures of a unit of work that the caller did not cause: runs it again, waits for the holder of
 * the same idempotency key, or reports that the database is unavailable. A unit runs again only if nothing of
 * it can have been committed, or if running it twice has the effect of running it once.
 */
import { backoffSeconds } from '../../kernel/backoff.ts'
import type { Caller } from '../../kernel/caller.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Id, Kind } from '../../kernel/id.ts'

const maxConflicts = 4
/** Each connection of the pool can have its own stale plan, so a unit may fail once per connection. */
const maxStaleRuns = 64
/** How long a unit is retried while the database is unavailable. A standby is promoted in about this time. */
const maxUnavailableMs = 3_000
/**
 * The same for a unit that records the result of a call to an external system, because the result would be lost
 * otherwise. It is shorter than a request may take, and longer than it takes to lift the fence of a move whose command was
 * killed: 10 to 20 seconds.
 */
export const maxWaitAfterCallMs = 22_000
const uncertainDetail =
  'The database did not confirm that the changes of this request are stored. The request may have had an effect.'
/** How long a repeated request waits for the response of the first one before it gets 409. */
const maxClaimWaitMs = 5_000

/** Error codes of conflicts between units: the unit can run again. */
const retryableCodes = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
])

/** Error codes of the database or the socket when the database is unavailable, in addition to class 08. */
const unavailableCodes = new Set([
  '25P03', // the transaction was idle for too long, for example because the process was suspended
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'ENOTFOUND',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
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

/**
 * It is not known whether the unit is committed: the connection was lost between COMMIT and its result, or the
 * wait for a synchronous standby was canceled, so that a failover would undo the commit.
 */
export class CommitLost extends Error {
  override name = 'CommitLost'

  constructor(cause: unknown) {
    super('It is not known whether the transaction is committed.', { cause })
  }
}

export type RetryOptions = {
  /** Whether the unit runs again after `CommitLost`. Running it twice must have the effect of running it once. */
  readonly isRepeatable: boolean
  /** Whether the unit records the result of a call to an external system. */
  readonly isAfterCall?: boolean | undefined
  /** The error detail: what is not possible while the database is unavailable. Default: everything. */
  readonly unavailableDetail?: string
}

/** A unit with an idempotency key runs again, because it finds its stored response if it was committed. */
export function retryOptionsOf(caller: Caller): RetryOptions {
  return { isRepeatable: caller.request !== null && caller.request.replay !== null }
}

export async function withRetries<T>(options: RetryOptions, run: () => Promise<T>): Promise<T> {
  const failures = new Failures(options)
  for (;;) {
    try {
      return await run()
    } catch (error) {
      const waitMs = failures.delayAfter(error)
      if (waitMs === null) throw toRefusal(error, failures.isCommitLost, options)
      // No connection is held while waiting: repeated requests must not exhaust the pool.
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

/** The failed runs of one unit. */
class Failures {
  readonly #options: RetryOptions
  readonly #startedMs = monotonicMs()
  #runs = 0
  #conflicts = 0
  #unavailableSinceMs: number | null = null
  /** Whether a run that sent COMMIT may have been committed. */
  isCommitLost = false

  constructor(options: RetryOptions) {
    this.#options = options
  }

  /** The delay before the next run; null to give up. */
  delayAfter(error: unknown): number | null {
    this.#runs += 1
    this.isCommitLost ||= error instanceof CommitLost
    const nowMs = monotonicMs()
    const waitMs = 1000 * backoffSeconds({ attempt: this.#runs, baseSeconds: 0.01, capSeconds: 0.25 })
    if (isKeyInUse(error)) return nowMs - this.#startedMs + waitMs < maxClaimWaitMs ? waitMs : null
    if (isStalePlan(error)) return this.#runs < maxStaleRuns ? 0 : null
    if (isConflict(error)) {
      this.#conflicts += 1
      return this.#conflicts < maxConflicts ? waitMs : null
    }
    if (!this.#canRunLater(error)) return null
    this.#unavailableSinceMs ??= nowMs
    const maxMs = this.#options.isAfterCall ? maxWaitAfterCallMs : maxUnavailableMs
    return nowMs - this.#unavailableSinceMs + waitMs < maxMs ? waitMs : null
  }

  #canRunLater(error: unknown): boolean {
    if (error instanceof CommitLost) return this.#options.isRepeatable
    if (isUnavailable(error)) return true
    // Other writes are refused immediately, but whether a unit is committed must be found out, and a result be recorded.
    return isReadOnlyMode(error) && (this.isCommitLost || this.#options.isAfterCall === true)
  }
}

function toRefusal(
  error: unknown,
  isCommitLost: boolean,
  { unavailableDetail }: Pick<RetryOptions, 'unavailableDetail'>,
): unknown {
  // 55P03: the row was locked for longer than a request may wait.
  if (isConflict(error) || codeOf(error) === '55P03') return new Refusal('conflict', {})
  const isAway = isUnavailable(error) || isOverloaded(error)
  if (error instanceof CommitLost || (isCommitLost && (isAway || isReadOnlyMode(error))))
    return uncertainRefusal()
  if (!isAway) return error
  const detail = unavailableDetail === undefined ? {} : { detail: unavailableDetail }
  return new Refusal('unavailable', { ...detail, retryAfterSeconds: 1 })
}

function uncertainRefusal(): Refusal {
  return new Refusal('unavailable', { detail: uncertainDetail, retryAfterSeconds: 1 })
}

/**
 * The refusal of a request that ended with an error of the database, outside of `withRetries`; null if the error has
 * another cause.
 */
export function refusalOfDatabaseError(error: unknown): Refusal | null {
  return error instanceof CommitLost || isUnavailable(error) || isOverloaded(error)
    ? uncertainRefusal()
    : null
}

function isConflict(error: unknown): boolean {
  return error instanceof ConcurrentChange || retryableCodes.has(codeOf(error))
}

function isKeyInUse(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'idempotency_key_in_use'
}

function isReadOnlyMode(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'read_only'
}

/**
 * A migration changed a table that a prepared statement uses. A new connection prepares the statement again.
 */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as Error).message.includes('cached plan')
}

/** Whether nothing was written, and the same can be written later. */
export function isNotWritten(error: unknown): boolean {
  return isUnavailable(error) || isReadOnlyMode(error)
}

/** Whether nothing can be written now, although the unit itself is correct. */
export function isUnavailable(error: unknown): boolean {
  return isConnectionLost(error) || isReadOnlyServer(error)
}

/**
 * The connection leads to a standby, or to a primary that was demoted. The database has rejected the statement,
 * so nothing of its transaction is committed.
 */
export function isReadOnlyServer(error: unknown): boolean {
  return codeOf(error) === '25006' || isUnloggedOnStandby(error)
}

/**
 * A standby has no contents of unlogged tables, and rejects even reads of them: those of the CVC keys, for example. The
 * routine identifies the error in every language.
 */
function isUnloggedOnStandby(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as { readonly routine?: string }).routine === 'get_relation_info'
}

export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (unavailableCodes.has(code) || /^08...$/.test(code)) return true
  const message = error instanceof Error ? error.message : ''
  return /Connection terminated|Query read timeout|not queryable|timeout expired/.test(message)
}

/** Overload: no connection is free, or a statement timed out. Retrying would make it worse. */
function isOverloaded(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return overloadCodes.has(codeOf(error)) || message.includes('timeout exceeded when trying to connect')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
