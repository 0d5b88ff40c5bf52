// Connections of tests as the owner of the tables. With `TEST_SHARDS=2`, a statement runs on the shard of the ids in it, or
// on all shards. A statement about the schema runs on one shard.

import { Client, type QueryConfig, type QueryResult } from 'pg'
import { idFromUuid, type slotOf } from '../../src/kernel/id.ts'
import { type Layout, layoutOf } from './layouts.ts'

export async function asOwner<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectAsOwner(url)
  try {
    return await body(client)
  } finally {
    await client.end()
  }
}

/** With two shards, the client only has `query` and `end`. */
export async function connectAsOwner(url: string): Promise<Client> {
  const layout = layoutOf(url)
  if (layout === null) return connect(url)
  const [control, a, b] = await Promise.all([url, ...layout.shardUrls].map(connect))
  return createRouter(layout, { control, a, b } as Clients)
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // If the connection is lost, its statements fail. Without a listener the event would also end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The URL of the database that has the rows of the workspace. */
export function databaseUrlOf(url: string, workspaceId: string): string {
  const layout = layoutOf(url)
  return layout === null ? url : layout.shardUrls[layout.shardOf(workspaceId as Id)]
}

type Id = Parameters<typeof slotOf>[0]
type Clients = { readonly control: Client; readonly a: Client; readonly b: Client }

function createRouter(layout: Layout, clients: Clients): Client {
  const query = async (statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    const { text, values: given = values } = typeof statement === 'string' ? { text: statement } : statement
    const results: QueryResult[] = []
    for (const client of selectClients(layout, clients, text, uuidsIn([text, given])))
      results.push(await client.query(statement, values))
    return {
      ...(results[0] as QueryResult),
      rows: results.flatMap(({ rows }) => rows),
      rowCount: results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0),
    }
  }
  const end = () => Promise.all(Object.values(clients).map((client) => client.end()))
  return { query, end } as unknown as Client
}

const isForEveryDatabase =
  /^\s*(begin|commit|rollback|savepoint|release|set|alter|create|drop|truncate|grant|revoke|analyze|vacuum)\b/i

/** Statistics of statements, which each database has about its own. */
const isAboutStatements = /\bpg_stat_statements\b/

/** The schema, which is the same in every database: several results would contain each row several times. */
const isAboutSchema =
  /\bfrom\s+(pg_class|pg_index|pg_roles|information_schema\.\w+)\b|\bhas_schema_privilege\(/

function selectClients(
  layout: Layout,
  { control, a, b }: Clients,
  text: string,
  uuids: readonly string[],
): readonly Client[] {
  if (/\bcontrol\./.test(text)) return [control]
  if (isForEveryDatabase.test(text) || isAboutStatements.test(text)) return [control, a, b]
  if (isAboutSchema.test(text)) return [a]
  const shards = new Set(uuids.map((uuid) => layout.shardOf(idFromUuid('workspace', 'test', uuid))))
  return shards.size === 1 ? [shards.has(0) ? a : b] : [a, b]
}

/** Ids, which contain the slot of their workspace. */
function uuidsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(uuidsIn)
  if (typeof value !== 'string') return []
  return value.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g) ?? []
}
