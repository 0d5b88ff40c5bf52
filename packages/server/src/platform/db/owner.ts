/**
 * Connections as the login user, who owns the tables: for migrations and maintenance jobs, never for
 * requests.
 */
import { Client } from 'pg'
import { withTimeout } from '../engine/cancellable-sleep.ts'

const connectTimeoutMs = 5_000

export async function asOwner<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect({ connectionString: url })
  try {
    return await body(client)
  } finally {
    await client.end()
  }
}

/**
 * One connection that several callers use in turn: checks of the whole server must not open a dozen
 * connections.
 */
export type Owner = {
  withClient<T>(body: (client: Client) => Promise<T>): Promise<T>
  /** Whether the query failed with this error because the user lacks permission. */
  isDenial(error: unknown): boolean
  /** Does not wait for pending connections or running statements: their callers have timed out. */
  close(): Promise<void>
}

/** After `turnLimitMs` the next caller gets its turn, even if the current one has not finished. */
export function openOwner(url: string, turnLimitMs: number): Owner {
  const statementTimeoutMs = turnLimitMs / 2
  let connecting: Promise<Client> | null = null
  let connected: Client | null = null
  let [isClosed, isUnresponsive] = [false, false]
  const denials = new WeakSet<WeakKey>()
  let queue: Promise<unknown> = Promise.resolve()

  const connectOnce = async () => {
    // A server that does not respond does not enforce its own timeout, so the client has one too.
    const limits = { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + 1_000 }
    const client = await connect({ connectionString: url, ...limits })
    if (isClosed) await client.end()
    connected = client
    return client
  }

  return {
    withClient(body) {
      const turn = queue.then(async () => {
        if (isClosed) throw new Error('The query was cancelled.')
        // Fail fast: a dozen callers that each wait for an unresponsive server would take a minute.
        if (isUnresponsive) throw new Error('The database did not respond to an earlier query.')
        connecting ??= connectOnce()
        return body(await connecting).catch((error) => {
          isUnresponsive = error.message === 'Query read timeout'
          if (error.code === '42501') denials.add(error)
          throw error
        })
      })
      const ended = turn.then(
        () => {},
        () => {},
      )
      queue = queue.then(() => withTimeout(turnLimitMs, ended, undefined))
      return turn
    },
    isDenial: (error) => error instanceof Error && denials.has(error),
    async close() {
      isClosed = true
      await connected?.end()
    },
  }
}

type Limits = { readonly statement_timeout?: number; readonly query_timeout?: number }

async function connect(options: Limits & { readonly connectionString: string }): Promise<Client> {
  const client = new Client({ ...options, connectionTimeoutMillis: connectTimeoutMs })
  // If the connection is lost, its statements fail. Without a listener the event would also end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
