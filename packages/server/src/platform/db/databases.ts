/**
 * Connections. One shard today; `databases.of` is where a slot will find its own tomorrow. A connection
 * acts as `switchyard_app` unless a transaction asks for another role, and sees no row until a
 * transaction names its workspace.
 */
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { Client, type ClientBase, Pool, type PoolClient, types } from 'pg'
import { assert } from '../../kernel/assert.ts'
import type { Id } from '../../kernel/id.ts'
import { BoundDriver } from './bound-driver.ts'
import type { DB } from './tables.generated.ts'

export type Db = Kysely<DB>

/** Roles of the database beside `switchyard_app`; see the first migration. */
export type DatabaseRole = 'switchyard_due' | 'switchyard_log' | 'switchyard_control'

export type Connection = {
  readonly client: PoolClient
  readonly db: Db
  /** `broken` closes the connection instead of lending it again. */
  release(broken?: boolean): void
}

export type Shard = {
  readonly name: string
  connect(): Promise<Connection>
  /** A short transaction in another role, across workspaces. Domains never get one. */
  as<T>(role: DatabaseRole, body: (db: Db) => Promise<T>): Promise<T>
  /** A connection of its own that holds a named lock as long as it lives; null while another holds it. */
  lead(lock: string): Promise<Leadership | null>
  /** What time it is there. */
  time(): Promise<Date>
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number }
}

export type Leadership = {
  /** Asks the database, so a lock lost with its connection is noticed. */
  stillHeld(): Promise<boolean>
  release(): Promise<void>
}

export type Databases = {
  of(workspaceId: Id<'workspace'>): Shard
  readonly shards: readonly Shard[]
  /** Where organizations, people and the directory of tokens live. */
  readonly control: Shard
  close(): Promise<void>
}

export type DatabaseOptions = {
  readonly url: string
  readonly poolSize: number
  readonly onError: (error: Error) => void
}

export function openDatabases(options: DatabaseOptions): Databases {
  const shard = openShard('shard0', options)
  return { of: () => shard, shards: [shard], control: shard, close: () => shard.close() }
}

function openShard(
  name: string,
  { url, poolSize, onError }: DatabaseOptions,
): Shard & { close(): Promise<void> } {
  const pool = new Pool({ ...connectionOptions(url), max: poolSize, connectionTimeoutMillis: 5_000 })
  pool.on('error', onError)
  // A connection that is lost while lent fails its statements; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', onError))
  const bound = new WeakMap<ClientBase, Db>()

  const connect = async (): Promise<Connection> => {
    const client = await pool.connect()
    const db = bound.get(client) ?? bindTo(client)
    bound.set(client, db)
    return { client, db, release: (broken = false) => client.release(broken) }
  }

  return {
    name,
    connect,
    as: (role, body) => actAs(connect, role, body),
    lead: (lock) => lead(url, lock),
    time: () => actAs(connect, 'switchyard_due', timeOf),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

function connectionOptions(url: string) {
  return {
    connectionString: url,
    // Statements leave without waiting for the answer to the one before; Postgres keeps their order.
    pipeline: true,
    // Limits on everything: a lost peer or a forgotten transaction must not hold a lock for ever.
    options:
      '-c role=switchyard_app -c statement_timeout=25s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s -c timezone=UTC',
    keepAlive: true,
    types: { getTypeParser },
  }
}

/** `int8` as bigint: a number would round it in silence. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format)
}

/** Speaks Kysely over one checked-out connection, so that the unit of work alone begins and commits. */
function bindTo(client: ClientBase): Db {
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new BoundDriver(client),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

async function actAs<T>(
  connect: () => Promise<Connection>,
  role: DatabaseRole,
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connect()
  let broken = true
  try {
    await connection.client.query(`begin; set local role ${role}`)
    const result = await body(connection.db)
    const { command } = await connection.client.query('commit')
    assert(command === 'COMMIT', 'A statement of this transaction failed and its error was swallowed.')
    broken = false
    return result
  } finally {
    // After a failure the connection is closed rather than cleaned: that path is rare, and always right.
    connection.release(broken)
  }
}

async function timeOf(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return (rows[0] as { now: Date }).now
}

async function lead(url: string, lock: string): Promise<Leadership | null> {
  const client = new Client({ ...connectionOptions(url), pipeline: false })
  // A lost connection loses the lock; `stillHeld` tells, so the event itself needs no answer.
  client.on('error', () => {})
  await client.connect()
  const held = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [lock])
  if (held.rows[0].held !== true) {
    await client.end()
    return null
  }
  return {
    stillHeld: () =>
      client.query('select 1').then(
        () => true,
        () => false,
      ),
    release: () => client.end(),
  }
}
