/**
 * What to do when a unit of work fails for a reason that is not the caller's: run it again, wait for the
 * holder of the same idempotency key, or say that the database cannot be reached.
 */
import { backoffSeconds } from '../../kernel/backoff.ts'
import type { Caller } from '../../kernel/caller.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Id, Kind } from '../../kernel/id.ts'

const maxRuns = 4
/** Each connection of the pool has stale plans of its own, so there may be as many as connections. */
const maxStaleRuns = 64
const uncertain =
  'The connection to the database was lost while committing. Whether the request had an effect is not certain.'
/** How long a repeat waits for the answer of the first request before it gets 409. */
const claimPatienceMs = 5_000

/** What the database says when a unit met another one and may simply run again. */
const again = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
])

/** What the database says, or the socket, when it cannot be reached at the moment. */
const away = new Set([
  ...['57P01', '57P02', '57P03', '08000', '08003', '08006'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH'],
])

/** A statement or a transaction took too long, or there are too many connections. */
const busy = new Set(['57014', '25P04', '53300'])

/** A row had another version when it was written than when it was read. The unit runs again. */
export class Overtaken extends Error {
  override name = 'Overtaken'

  constructor(id: Id<Kind>) {
    super(`${id} was changed meanwhile.`)
  }
}

/** The connection was lost between COMMIT and its answer: the unit may have happened. */
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
      const waitMs = waitAfter(error, { caller, attempt, elapsedMs: monotonicMs() - startedMs })
      if (waitMs === null) throw renderable(error)
      // No connection is held while waiting: repeats of one request must not use up the pool.
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

type Situation = { readonly caller: Caller | null; readonly attempt: number; readonly elapsedMs: number }

/** How long to wait before running again; null: give up. */
function waitAfter(error: unknown, { caller, attempt, elapsedMs }: Situation): number | null {
  const waitMs = 1000 * backoffSeconds({ attempt, baseSeconds: 0.01, capSeconds: 0.25 })
  if (isInUse(error)) return elapsedMs + waitMs < claimPatienceMs ? waitMs : null
  if (isStalePlan(error)) return attempt < maxStaleRuns ? 0 : null
  if (attempt >= maxRuns) return null
  if (error instanceof Overtaken || again.has(codeOf(error))) return waitMs
  if (isAway(error)) return waitMs
  // With a key the next run waits for the lost transaction to end, and finds its answer if it committed.
  return error instanceof CommitLost && caller?.request?.replay ? waitMs : null
}

function renderable(error: unknown): unknown {
  // 55P03: somebody held the row for longer than a request may wait.
  if (error instanceof Overtaken || codeOf(error) === '55P03') return new Refusal('conflict', {})
  if (isAway(error) || isBusy(error)) return new Refusal('unavailable', { retryAfterSeconds: 1 })
  if (error instanceof CommitLost)
    return new Refusal('unavailable', { detail: uncertain, retryAfterSeconds: 1 })
  return error
}

function isInUse(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'idempotency_key_in_use'
}

/** A migration changed a table under a prepared statement. A new connection prepares it anew. */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as Error).message.includes('cached plan')
}

export function isAway(error: unknown): boolean {
  if (away.has(codeOf(error))) return true
  const message = error instanceof Error ? error.message : ''
  return /Connection terminated|Query read timeout|not queryable/.test(message)
}

/** Too much at once: no connection is free, or a statement took too long. More of it would not help. */
function isBusy(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return busy.has(codeOf(error)) || message.includes('timeout exceeded when trying to connect')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
