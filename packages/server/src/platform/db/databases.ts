/**
 * Database connections. There is one shard today; `databases.of` is where a slot will be mapped to its shard.
 * A connection uses the `switchyard_app` role unless a transaction sets another one, and sees no rows until a
 * transaction sets its workspace.
 */
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { Client, type ClientBase, Pool, type PoolClient } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { BoundDriver, sendText } from './bound-driver.ts'
import { connectionOptions } from './connection-options.ts'
import type { DB } from './tables.generated.ts'

export type Db = Kysely<DB>

/** Database roles besides `switchyard_app`; see the first migration. */
export type DatabaseRole = 'switchyard_due' | 'switchyard_log' | 'switchyard_control' | 'switchyard_delivery'

export type Connection = {
  readonly client: PoolClient
  readonly db: Db
  /** Makes `db` reject further statements: a late statement must not run in another transaction. */
  seal(): void
  /** `broken` closes the connection instead of returning it to the pool. */
  release(broken?: boolean): void
}

export type Shard = {
  readonly name: string
  connect(): Promise<Connection>
  /** A short transaction in another role, across workspaces. Not available to domains. */
  as<T>(role: DatabaseRole, body: (db: Db) => Promise<T>): Promise<T>
  /**
   * Single statements across workspaces, each in its own transaction: one round trip and one commit, for
   * statements that run thousands of times a second. They have separate connections, so that they never wait
   * for requests.
   */
  withDeliveryConnection<T>(body: (db: Db) => Promise<T>): Promise<T>
  /**
   * A short transaction inside one workspace without the features of a unit of work, for rows of the
   * platform.
   */
  inWorkspace<T>(workspaceId: Id<'workspace'>, body: (db: Db) => Promise<T>): Promise<T>
  /**
   * A short transaction in the vault role, inside one workspace. It is independent of any unit of work: its
   * changes stay committed even if the surrounding unit fails.
   */
  inVault<T>(workspaceId: Id<'workspace'>, body: (db: Db) => Promise<T>): Promise<T>
  /**
   * A dedicated connection that holds a named lock until it closes; null while another process holds the
   * lock.
   */
  acquireLeadership(lock: string): Promise<Leadership | null>
  /** The time of the database. */
  time(): Promise<Date>
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number }
}

export type Leadership = {
  /** Queries the database, so that a lock lost with its connection is detected. */
  isStillHeld(): Promise<boolean>
  release(): Promise<void>
}

export type Databases = {
  of(workspaceId: Id<'workspace'>): Shard
  readonly shards: readonly Shard[]
  /** The shard with organizations, people and the token directory. */
  readonly control: Shard
  close(): Promise<void>
}

export type DatabaseOptions = {
  readonly url: string
  /** The URL for the vault if it uses a different login. It must point to the same database. */
  readonly vaultUrl?: string
  readonly poolSize: number
  readonly onError: (error: Error) => void
}

/** Vault transactions are a few statements by key. */
const vaultConnections = 4

/** Delivery statements process many rows each, so a few connections suffice. */
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
  // The pool connects lazily, so a process that only serves the API opens none of these connections.
  const delivery = openPool({ url, size: deliveryConnections, role: 'switchyard_delivery', onError })
  const vault = openPool({ url: vaultUrl, size: vaultConnections, role: 'switchyard_vault', onError })
  const connect = () => checkOut(pool)

  return {
    name,
    connect,
    as: (role, body) => inTransaction(connect, `set local role ${role}`, body),
    withDeliveryConnection: (body) => withoutTransaction(() => checkOut(delivery), body),
    inWorkspace: (id, body) => inTransaction(connect, enterWorkspace(id), body),
    inVault: (id, body) => inTransaction(() => checkOut(vault), enterWorkspace(id), body),
    acquireLeadership: (lock) => acquireLeadership(url, lock),
    time: () => inTransaction(connect, 'set local role switchyard_due', databaseTime),
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
    // Statements are sent without waiting for the previous result; Postgres keeps their order.
    pipeline: true,
    max: size,
    onConnect: (client: ClientBase) => requireRole(client, role),
  })
  pool.on('error', onError)
  // If a checked-out connection is lost, its statements fail. Without a listener the event would also end the
  // process.
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
  return { client, db: createDb(driver), seal: () => driver.seal(), release }
}

/**
 * Row-level security applies to this role. With another role, a forgotten condition would expose all tenants.
 */
async function requireRole(client: ClientBase, role: string): Promise<void> {
  const { rows } = await client.query('select current_user as name')
  assert(
    rows[0].name === role,
    `Connected as ${rows[0].name}, not as ${role}. Does something between us and Postgres drop start-up options?`,
  )
}

/** Sets the workspace for row-level security. The UUID is validated, so it is safe to interpolate. */
export function enterWorkspace(id: Id<'workspace'>): string {
  return `select set_config('app.workspace', '${uuidOf(id)}', true)`
}

/** Kysely over one checked-out connection, where only the unit of work begins and commits. */
function createDb(driver: BoundDriver): Db {
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
  firstStatement: string,
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connect()
  let broken = true
  try {
    // The first statements are sent together with `begin`. If that fails, they fail too.
    const beginning = sendText(connection.client, `begin; ${firstStatement}`)
    const [, result] = await Promise.all([beginning, (async () => body(connection.db))()])
    connection.seal()
    const { command } = await sendText(connection.client, 'commit')
    assert(command === 'COMMIT', 'A statement of this transaction failed and its error was swallowed.')
    broken = false
    return result
  } finally {
    // After a failure the connection is closed instead of reused. Failures are rare, and this is always safe.
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

async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return (rows[0] as { now: Date }).now
}

async function acquireLeadership(url: string, lock: string): Promise<Leadership | null> {
  const client = new Client(connectionOptions(url))
  // A lost connection loses the lock. `isStillHeld` detects that, so the event needs no handling.
  client.on('error', () => {})
  await client.connect()
  const result = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [lock])
  if (result.rows[0].held !== true) {
    await client.end()
    return null
  }
  return {
    isStillHeld: () =>
      client.query('select 1').then(
        () => true,
        () => false,
      ),
    release: () => client.end(),
  }
}
