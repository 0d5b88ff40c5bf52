/**
 * Connections. One shard today; `databases.of` is where a slot will find its own tomorrow. A connection
 * acts as `switchyard_app` unless a transaction asks for another role, and sees no row until a
 * transaction names its workspace.
 */
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { Client, type ClientBase, Pool, type PoolClient } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { BoundDriver, sendText } from './bound-driver.ts'
import { connectionOptions } from './connection-options.ts'
import type { DB } from './tables.generated.ts'

export type Db = Kysely<DB>

/** Roles of the database beside `switchyard_app`; see the first migration. */
export type DatabaseRole = 'switchyard_due' | 'switchyard_log' | 'switchyard_control' | 'switchyard_delivery'

export type Connection = {
  readonly client: PoolClient
  readonly db: Db
  /** From now on `db` refuses: a statement that comes late must not land in somebody else's transaction. */
  seal(): void
  /** `broken` closes the connection instead of lending it again. */
  release(broken?: boolean): void
}

export type Shard = {
  readonly name: string
  connect(): Promise<Connection>
  /** A short transaction in another role, across workspaces. Domains never get one. */
  as<T>(role: DatabaseRole, body: (db: Db) => Promise<T>): Promise<T>
  /**
   * Single statements across workspaces, each its own transaction: one round trip and one commit, for what
   * is done thousands of times a second. On connections of their own, so that they never wait for requests.
   */
  delivering<T>(body: (db: Db) => Promise<T>): Promise<T>
  /** A short transaction inside one workspace, without what a unit of work brings: for the platform's own rows. */
  inWorkspace<T>(workspaceId: Id<'workspace'>, body: (db: Db) => Promise<T>): Promise<T>
  /**
   * A short transaction as the role that holds cards, inside one workspace. It is no part of any unit of work:
   * what it has written stays, whatever becomes of the unit around it.
   */
  inVault<T>(workspaceId: Id<'workspace'>, body: (db: Db) => Promise<T>): Promise<T>
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
  /** For the vault, if another user logs in there. The same database. */
  readonly vaultUrl?: string
  readonly poolSize: number
  readonly onError: (error: Error) => void
}

/** Each transaction there is a handful of statements by key. */
const vaultConnections = 4

/** Statements that serve webhook endpoints carry many rows each, so few connections do. */
const deliveryConnections = 4

export function openDatabases(options: DatabaseOptions): Databases {
  const shard = openShard('shard0', options)
  return { of: () => shard, shards: [shard], control: shard, close: () => shard.close() }
}

function openShard(
  name: string,
  { url, vaultUrl = url, poolSize, onError }: DatabaseOptions,
): Shard & { close(): Promise<void> } {
  const pool = openPool({ url, size: poolSize, role: 'switchyard_app', onError })
  // It opens no connection until it is asked for one, so a process that only serves the API has none.
  const delivery = openPool({ url, size: deliveryConnections, role: 'switchyard_delivery', onError })
  const vault = openPool({ url: vaultUrl, size: vaultConnections, role: 'switchyard_vault', onError })
  const connect = () => checkOut(pool)

  return {
    name,
    connect,
    as: (role, body) => inTransaction(connect, `set local role ${role}`, body),
    delivering: (body) => withoutTransaction(() => checkOut(delivery), body),
    inWorkspace: (id, body) => inTransaction(connect, enterWorkspace(id), body),
    inVault: (id, body) => inTransaction(() => checkOut(vault), enterWorkspace(id), body),
    lead: (lock) => lead(url, lock),
    time: () => inTransaction(connect, 'set local role switchyard_due', timeOf),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await Promise.all([pool.end(), delivery.end(), vault.end()])
    },
  }
}

type PoolOptions = {
  readonly url: string
  readonly size: number
  readonly role: string
  readonly onError: (error: Error) => void
}

function openPool({ url, size, role, onError }: PoolOptions): Pool {
  const pool = new Pool({
    ...connectionOptions(url, role),
    // Statements leave without waiting for the answer to the one before; Postgres keeps their order.
    pipeline: true,
    max: size,
    onConnect: (client: ClientBase) => requireRole(client, role),
  })
  pool.on('error', onError)
  // A connection that is lost while lent fails its statements; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}

async function checkOut(pool: Pool): Promise<Connection> {
  const client = await pool.connect()
  const driver = new BoundDriver(client)
  const release = (broken = false) => {
    driver.seal()
    client.release(broken)
  }
  return { client, db: bindTo(driver), seal: () => driver.seal(), release }
}

/** Row-level security holds for the role. As any other, a forgotten condition would show every tenant. */
async function requireRole(client: ClientBase, role: string): Promise<void> {
  const { rows } = await client.query('select current_user as name')
  assert(
    rows[0].name === role,
    `Connected as ${rows[0].name}, not as ${role}. Does something between us and Postgres drop start-up options?`,
  )
}

/** Sets the workspace for row-level security. A uuid of ours holds nothing that could end the text. */
export function enterWorkspace(id: Id<'workspace'>): string {
  return `select set_config('app.workspace', '${uuidOf(id)}', true)`
}

/** Speaks Kysely over one checked-out connection, so that the unit of work alone begins and commits. */
function bindTo(driver: BoundDriver): Db {
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

async function inTransaction<T>(
  connect: () => Promise<Connection>,
  opening: string,
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connect()
  let broken = true
  try {
    // The first statements leave together with the beginning. If that fails, so do they.
    const begun = sendText(connection.client, `begin; ${opening}`)
    const [, result] = await Promise.all([begun, (async () => body(connection.db))()])
    connection.seal()
    const { command } = await sendText(connection.client, 'commit')
    assert(command === 'COMMIT', 'A statement of this transaction failed and its error was swallowed.')
    broken = false
    return result
  } finally {
    // After a failure the connection is closed rather than cleaned: that path is rare, and always right.
    connection.release(broken)
  }
}

async function withoutTransaction<T>(
  connect: () => Promise<Connection>,
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connect()
  let broken = true
  try {
    const result = await body(connection.db)
    broken = false
    return result
  } finally {
    connection.release(broken)
  }
}

async function timeOf(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return (rows[0] as { now: Date }).now
}

async function lead(url: string, lock: string): Promise<Leadership | null> {
  const client = new Client(connectionOptions(url))
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
