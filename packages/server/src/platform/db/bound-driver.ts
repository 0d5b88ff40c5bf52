/** A Kysely driver over one connection that somebody else has checked out, and whose transaction is theirs. */
import type { Writable } from 'node:stream'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { ClientBase, QueryResult as QueryAnswer } from 'pg'
import { AssertionFailed, assert } from '../../kernel/assert.ts'

/** Texts that were given a name, for the whole process: a name must mean the same on every connection. */
const names = new Map<string, string>()
/** A statement kept ready costs memory on every connection, so only so many are. */
const maxNames = 400

export class BoundDriver implements Driver {
  readonly #connection: BoundConnection

  constructor(client: ClientBase) {
    this.#connection = new BoundConnection(client)
  }

  /** The transaction is over, or about to be: whatever still comes was not waited for. */
  seal(): void {
    this.#connection.sealed = true
  }

  async init() {}
  async acquireConnection() {
    return this.#connection
  }
  async releaseConnection() {}
  async destroy() {}

  beginTransaction(): Promise<void> {
    throw new AssertionFailed('Only transact and read open transactions.')
  }
  commitTransaction(): Promise<void> {
    throw new AssertionFailed('Only transact and read end transactions.')
  }
  rollbackTransaction(): Promise<void> {
    throw new AssertionFailed('Only transact and read end transactions.')
  }
}

class BoundConnection implements DatabaseConnection {
  sealed = false
  /** Why the transaction is lost, if it is. */
  #fault: unknown = null
  readonly #client: ClientBase

  constructor(client: ClientBase) {
    this.#client = client
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    assert(!this.sealed, 'A statement came after the end of its transaction. Is an await missing?')
    const result = await send(this.#client, query).catch((error) => this.#fail(error))
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
  }

  /** What was sent behind a statement that failed fails for that alone, and may be heard of before it. */
  #fail(error: unknown): never {
    this.#fault ??= error
    throw isFollower(error) ? this.#fault : error
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new AssertionFailed('Results are pages; nothing streams from the database.')
  }
}

/** "The current transaction is aborted." */
function isFollower(error: unknown): boolean {
  return (error as { readonly code?: string } | null)?.code === '25P02'
}

/** Hands the statement to the connection at once, so that what is sent first is executed first. */
export function send(client: ClientBase, query: CompiledQuery): Promise<QueryAnswer> {
  const name = nameOf(query.sql)
  gather(client)
  return client.query({
    text: query.sql,
    values: [...query.parameters],
    ...(name === null ? {} : { name }),
  })
}

/** A statement without values, such as those that begin and end a transaction. */
export function sendText(client: ClientBase, text: string): Promise<QueryAnswer> {
  gather(client)
  return client.query(text)
}

/**
 * What is sent in one moment leaves in one piece. A write of its own for each statement costs us more than most
 * statements cost Postgres, and wakes it once for each.
 */
function gather(client: ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Prepared once per connection: planning costs more than most of our statements. */
function nameOf(sql: string): string | null {
  const known = names.get(sql)
  if (known !== undefined) return known
  if (names.size >= maxNames) return null
  const name = `s${names.size}`
  names.set(sql, name)
  return name
}
