/** A connection as the user that logged in, who owns the tables: for migrations and chores, never for requests. */
import { Client } from 'pg'
import { orAfter } from '../engine/nap.ts'

const connectTimeoutMs = 5_000

export async function asOwner<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect({ connectionString: url })
  try {
    return await body(client)
  } finally {
    await client.end()
  }
}

/** One connection for many who ask in turn: a look at the whole server must not take a dozen of its connections. */
export type Owner = {
  ask<T>(body: (client: Client) => Promise<T>): Promise<T>
  /** Whether an answer failed with this because the user may not see what was asked for. */
  isDenial(error: unknown): boolean
  /** Waits neither for a connection in the making nor for a statement: whoever still asks has been given up on. */
  close(): Promise<void>
}

/** After its limit a turn is over for the others, whatever became of it. */
export function openOwner(url: string, turnLimitMs: number): Owner {
  const statementTimeoutMs = turnLimitMs / 2
  let connecting: Promise<Client> | null = null
  let connected: Client | null = null
  let [isClosed, isSilent] = [false, false]
  const denials = new WeakSet<WeakKey>()
  let last: Promise<unknown> = Promise.resolve()

  const connectOnce = async () => {
    // A server that is silent does not hear of the limit of its own.
    const limits = { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + 1_000 }
    const client = await connect({ connectionString: url, ...limits })
    if (isClosed) await client.end()
    connected = client
    return client
  }

  return {
    ask(body) {
      const turn = last.then(async () => {
        if (isClosed) throw new Error('Nobody waits for the answer any more.')
        // A dozen who each wait for a server that says nothing would wait for a minute.
        if (isSilent) throw new Error('The database did not answer whoever asked before.')
        connecting ??= connectOnce()
        return body(await connecting).catch((error) => {
          isSilent = error.message === 'Query read timeout'
          if (error.code === '42501') denials.add(error)
          throw error
        })
      })
      const ended = turn.then(
        () => {},
        () => {},
      )
      last = last.then(() => orAfter(turnLimitMs, ended, undefined))
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
  // A lost connection fails its statements; unheard, the event would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
