/** Connections of a move, as the owner of the tables: one to the control plane, and several to each of the two shards. */
import type { Client, QueryResult } from 'pg'
import { asOwner } from '../owner.ts'
import type { ShardAddress } from '../placements.ts'

export type Side = {
  readonly name: string
  readonly url: string
  readonly client: Client
  /** For statements that run concurrently. */
  readonly clients: readonly Client[]
}

export type Sides = { readonly control: Client; of(shard: string): Side }

/** Comparing uses this many connections to each shard. */
const clientsPerSide = 4

/** Rows are compared as text, which must not depend on the settings of a database. */
const sessionSettings = `
  set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
  set extra_float_digits = 1; set lock_timeout = '10s'; set tcp_user_timeout = '30s'; set client_min_messages = warning`

export async function withSides<T>(
  controlUrl: string,
  shards: readonly ShardAddress[],
  body: (sides: Sides) => Promise<T>,
): Promise<T> {
  return asOwner(controlUrl, (control) =>
    withEach(shards, (sides) => {
      const of = (shard: string) => {
        const side = sides.find(({ name }) => name === shard)
        if (side === undefined) throw new Error(`This process has no settings for the shard ${shard}.`)
        return side
      }
      return body({ control, of })
    }),
  )
}

async function withEach<T>(
  [first, ...others]: readonly ShardAddress[],
  body: (sides: readonly Side[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return body([])
  const { name, ownerUrl } = first
  return withClients(ownerUrl, clientsPerSide, (clients) => {
    const side = { name, url: ownerUrl, client: clients[0] as Client, clients }
    return withEach(others, (sides) => body([side, ...sides]))
  })
}

async function withClients<T>(
  url: string,
  count: number,
  body: (clients: readonly Client[]) => Promise<T>,
): Promise<T> {
  if (count === 0) return body([])
  return asOwner(url, async (client) => {
    await client.query(sessionSettings)
    return withClients(url, count - 1, (clients) => body([client, ...clients]))
  })
}

/**
 * Runs the statements in one transaction, which is durable when it returns. They are sent in one message,
 * because writes may be waiting, so they cannot have parameters. Returns the result of each statement.
 */
export async function inOneMessage(
  client: Client,
  statements: readonly string[],
): Promise<readonly QueryResult[]> {
  const opening = ['begin', 'set local synchronous_commit = on']
  try {
    const results: unknown = await client.query([...opening, ...statements, 'commit'].join('; '))
    return (results as QueryResult[]).slice(opening.length, -1)
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * The statements of the mover must not fire the triggers of the tables. Neither do those of the replication.
 */
export const withoutTriggers = 'set local session_replication_role = replica'

/**
 * For statements without parameters. The values are UUIDs, names of shards, and strings that PostgreSQL
 * returned.
 */
export const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
