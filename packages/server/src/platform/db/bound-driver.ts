/** A Kysely driver for one connection that the caller has checked out. The caller manages its transaction. */
import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, sql } from 'kysely'
import type { ClientBase, QueryResult as PgResult } from 'pg'
import { AssertionFailed, assert } from '../../kernel/assert.ts'
import { streamOf } from './connection-stream.ts'

/** Statement names, shared by the whole process: a name must mean the same on every connection. */
const names = new Map<string, string>()
const plannedEachTimeComment = '/* planned each time */'
/** A prepared statement uses memory on every connection, so their number is limited. */
const maxNames = 400

export class BoundDriver implements Driver {
  readonly #connection: BoundConnection

  constructor(client: ClientBase) {
    this.#connection = new BoundConnection(client)
  }

  /** Call this when the transaction ends: later statements were not awaited and are rejected. */
  seal(): void {
    this.#connection.sealed = true
  }

  /** Queues a statement whose result is not needed. It is sent before the next statement or the commit. */
  write(query: CompiledQuery): void {
    this.#connection.write(query)
  }

  /** Sends the queued statements. The promise fails if one of the statements of this transaction failed. */
  sendWrites(): Promise<unknown> {
    return this.#connection.sendWrites()
  }

  async init() {}
  async acquireConnection() {
    return this.#connection
  }
  async releaseConnection() {}
  async destroy() {}

  beginTransaction(): Promise<void> {
    throw new AssertionFailed('Only transact and read may open transactions.')
  }
  commitTransaction(): Promise<void> {
    throw new AssertionFailed('Only transact and read may end transactions.')
  }
  rollbackTransaction(): Promise<void> {
    throw new AssertionFailed('Only transact and read may end transactions.')
  }
}

const sentTooLate = 'A statement was sent after the end of its transaction. Is an await missing?'

class BoundConnection implements DatabaseConnection {
  sealed = false
  /** The error that aborted the transaction, if any. */
  #firstError: unknown = null
  #queued: CompiledQuery[] = []
  readonly #written: Promise<unknown>[] = []
  readonly #client: ClientBase

  constructor(client: ClientBase) {
    this.#client = client
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    assert(!this.sealed, sentTooLate)
    this.#sendQueued()
    const result = await send(this.#client, query).catch((error) => this.#fail(error))
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
  }

  write(query: CompiledQuery): void {
    assert(!this.sealed, sentTooLate)
    this.#queued.push(query)
  }

  sendWrites(): Promise<unknown> {
    this.#sendQueued()
    return Promise.all(this.#written)
  }

  #sendQueued(): void {
    for (const query of this.#queued) {
      const writing = send(this.#client, query).catch((error) => this.#fail(error))
      // The error is reported by `sendWrites`, or by the next statement, which fails because of it.
      writing.catch(() => {})
      this.#written.push(writing)
    }
    this.#queued = []
  }

  /**
   * Statements pipelined after a failed one fail because of it, and their errors can arrive first. Report the
   * original error.
   */
  #fail(error: unknown): never {
    this.#firstError ??= error
    throw isTransactionAborted(error) ? this.#firstError : error
  }

  // biome-ignore lint/correctness/useYield: the interface requires it, but no query is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new AssertionFailed('Results must be read in pages: streaming from the database is not supported.')
  }
}

/** Whether the statement failed only because an earlier statement had aborted the transaction. */
function isTransactionAborted(error: unknown): boolean {
  return (error as { readonly code?: string } | null)?.code === '25P02'
}

/**
 * Queues the statement on the connection immediately, so that statements are executed in the order in which
 * they are sent.
 */
export function send(client: ClientBase, query: CompiledQuery): Promise<PgResult> {
  const name = nameOf(query.sql)
  corkUntilNextTick(client)
  return client.query({
    text: query.sql,
    values: [...query.parameters],
    ...(name === null ? {} : { name }),
  })
}

/** A statement without parameters, such as `begin` or `commit`. */
export function sendText(client: ClientBase, text: string): Promise<PgResult> {
  corkUntilNextTick(client)
  return client.query(text)
}

/**
 * Statements sent in the same tick leave in one write. A separate write for each would cost more than most
 * statements cost Postgres, and would wake Postgres for each of them.
 */
function corkUntilNextTick(client: ClientBase): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * The prefix of statements that join a large batch with a table: Postgres plans them each time, for the
 * current size of the table. A prepared statement may keep its plan while the table grows, and a plan from
 * when it was small would read the whole table for each row of the batch.
 */
export const plannedEachTime = sql.raw(plannedEachTimeComment)

/**
 * The name of the prepared statement; null if it must not be prepared. A statement is prepared once per
 * connection, because planning costs more than executing most of our statements.
 */
function nameOf(text: string): string | null {
  const existing = names.get(text)
  if (existing !== undefined) return existing
  if (names.size >= maxNames || text.startsWith(plannedEachTimeComment)) return null
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
