/**
 * Database connections: to the control plane, and to the shards with the workspaces. `databases.of` returns the shard of
 * a workspace. A connection uses the `switchyard_app` role unless a transaction sets another one, and sees no rows until a
 * transaction sets its workspace.
 */
import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import { Client, type ClientBase, Pool, type PoolClient } from 'pg'
import { assert } from '../../kernel/assert.ts'
import type { Id } from '../../kernel/id.ts'
import { BoundDriver, sendText } from './bound-driver.ts'
import { commit, requireConfirmed, watchNotices } from './commit.ts'
import { CommitMonitor, maxCommitWaitMs, readOnlyRefusal } from './commit-monitor.ts'
import { connectionOptions } from './connection-options.ts'
import { enterWorkspace, isFenced } from './fence.ts'
import { isReadOnlyServer } from './retries.ts'
import { readServerStatus, type ServerStatus } from './server-status.ts'
import { ShardMap } from './shard-map.ts'
import type { DB } from './tables.generated.ts'

export type Db = Kysely<DB>

/** Database roles besides `switchyard_app`; see the first migration. */
export type DatabaseRole = 'switchyard_due' | 'switchyard_log' | 'switchyard_control' | 'switchyard_delivery'

export type Connection = {
  readonly client: PoolClient
  readonly db: Db
  /** Queues a statement whose result is not needed. It is sent before the next statement or the commit. */
  write(query: CompiledQuery): void
  /** Sends the queued statements. The promise fails if one of them failed. */
  sendWrites(): Promise<unknown>
  /** Makes `db` reject further statements: a late statement must not run in another transaction. */
  seal(): void
  /** Commits the transaction. Fails with `CommitLost` if it is not certain that the changes are kept. */
  commit(): Promise<void>
  /** `broken` closes the connection instead of returning it to the pool. */
  release(broken?: boolean): void
  /**
   * Closes every connection that the pool has now, each before it is used again: the server behind them has become a
   * standby.
   */
  retirePool(): void
}

export type Shard = {
  readonly name: string
  connect(): Promise<Connection>
  /** Like `connect`, but fails while writes are refused. */
  connectToWrite(): Promise<Connection>
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
  /** The role of the server and the state of its standbys. */
  status(): Promise<ServerStatus>
  /** Whether writes are refused, because commits wait for a standby that does not respond. */
  isReadOnly(): boolean
  /** Fails while writes are refused. Call this before a commit that was not sent yet. */
  requireWritable(): void
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
  /** The database with organizations, people and the token directory. It can be the same as a shard. */
  readonly control: Shard
  /** Call this when another shard reports on which shard the workspace is open. */
  learn(workspaceId: Id<'workspace'>, shard: string): void
  /** Whether the map of workspaces to shards was loaded. */
  hasMap(): boolean
  /**
   * Loads the map of workspaces to shards. Until this has succeeded once, `of` fails if there are several
   * shards.
   */
  loadMap(): Promise<void>
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** The control plane. */
  readonly url: string
  /** By default there is one shard, in the database of the control plane. */
  readonly shards?: readonly ShardOptions[]
  readonly poolSize: number
  readonly onError: (error: Error) => void
  /** Called when the writes of a database are refused, and when they are allowed again. */
  readonly onReadOnly?: (shard: string, isReadOnly: boolean) => void
}

export type ShardOptions = {
  readonly name: string
  readonly url: string
  /** The URL for the vault if it uses a different login. It must point to the same database. */
  readonly vaultUrl?: string
}

/** Vault transactions are a few statements by key. */
const vaultConnections = 4

/** Delivery statements process many rows each, so a few connections suffice. */
const deliveryConnections = 4

export function openDatabases(options: DatabaseOptions): Databases {
  const { url, shards: given = [{ name: 'shard0', url }] } = options
  const shards = given.map((shard) => openShard(shard, options))
  const [first] = shards
  assert(first !== undefined, 'An installation must have a shard.')
  const control =
    shards.find((_, index) => given[index]?.url === url) ?? openShard({ name: 'control', url }, options)
  const close = async () => {
    await Promise.all([...new Set([...shards, control])].map((shard) => shard.close()))
  }
  if (shards.length === 1)
    return {
      of: () => first,
      shards,
      control,
      learn: () => {},
      hasMap: () => true,
      loadMap: async () => {},
      close,
    }

  const map = new ShardMap({ control, shards, onError: options.onError })
  return {
    of: (workspaceId) => map.of(workspaceId),
    shards,
    control,
    learn: (workspaceId, shard) => map.learn(workspaceId, shard),
    hasMap: () => map.isLoaded(),
    loadMap: () => map.load(),
    close: async () => {
      await map.stop()
      await close()
    },
  }
}

/** The control plane and the shards, each once. */
export function allDatabases({ control, shards }: Pick<Databases, 'control' | 'shards'>): readonly Shard[] {
  return [...new Set([control, ...shards])]
}

function openShard(
  { name, url, vaultUrl = url }: ShardOptions,
  { poolSize, onError, onReadOnly = () => {} }: DatabaseOptions,
): Shard & { close(): Promise<void> } {
  const monitor = new CommitMonitor({ url, onChange: (isReadOnly) => onReadOnly(name, isReadOnly) })
  const pool = openPool({ url, size: poolSize, role: 'switchyard_app', monitor, onError })
  // The pool connects lazily, so a process that only serves the API opens none of these connections.
  const delivery = openPool({ url, size: deliveryConnections, role: 'switchyard_delivery', monitor, onError })
  const vault = openPool({
    url: vaultUrl,
    size: vaultConnections,
    role: 'switchyard_vault',
    monitor,
    onError,
  })
  const connect = () => checkOut(pool, monitor)
  const connectDelivery = () => checkOutToWrite(delivery, monitor)
  const connectVault = () => checkOut(vault, monitor)

  return {
    name,
    connect,
    connectToWrite: () => checkOutToWrite(pool, monitor),
    as: (role, body) => inTransaction(monitor, connect, `set local role ${role}`, body),
    withDeliveryConnection: (body) => withoutTransaction(monitor, connectDelivery, body),
    inWorkspace: (id, body) => inTransaction(monitor, connect, enterWorkspace(id, 'write'), body),
    inVault: (id, body) => inTransaction(monitor, connectVault, enterWorkspace(id, 'write'), body),
    acquireLeadership: (lock) => acquireLeadership(url, lock),
    time: () => inTransaction(monitor, connect, 'set local role switchyard_due', databaseTime),
    status: async () => {
      const status = await readStatus(connect)
      // Another process may be waiting for a commit that this process could read.
      if (status.longestCommitWaitMs >= maxCommitWaitMs) monitor.refuseWrites()
      return status
    },
    isReadOnly: () => monitor.isReadOnly,
    requireWritable: () => monitor.requireWritable(),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await Promise.all([monitor.close(), pool.end(), delivery.end(), vault.end()])
    },
  }
}

/** Reads as the login user, because other roles do not see the sessions of this process. */
async function readStatus(connect: () => Promise<Connection>): Promise<ServerStatus> {
  const connection = await connect()
  let broken = true
  try {
    await sendText(connection.client, 'begin read only; set local role none')
    const status = await readServerStatus(connection.client)
    await sendText(connection.client, 'rollback')
    broken = false
    return status
  } finally {
    connection.release(broken)
  }
}

type PoolOptions = {
  readonly url: string
  readonly size: number
  readonly role: string
  readonly monitor: CommitMonitor
  readonly onError: (error: Error) => void
}

function openPool({ url, size, role, monitor, onError }: PoolOptions): RetirablePool {
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
  pool.on('connect', (client) => {
    client.on('error', onError)
    watchNotices(client, () => monitor.refuseWrites())
  })
  return retirable(pool)
}

/** A pool whose connections can all be replaced. */
type RetirablePool = Pool & { retire(): void; isRetired(client: ClientBase): boolean }

function retirable(pool: Pool): RetirablePool {
  let generation = 0
  const generations = new WeakMap<ClientBase, number>()
  pool.on('connect', (client) => generations.set(client, generation))
  return Object.assign(pool, {
    retire: () => {
      generation += 1
    },
    isRetired: (client: ClientBase) => generations.get(client) !== generation,
  })
}

async function checkOut(pool: RetirablePool, monitor: CommitMonitor): Promise<Connection> {
  const client = await pool.connect()
  if (pool.isRetired(client)) {
    client.release(true)
    return checkOut(pool, monitor)
  }
  const driver = new BoundDriver(client)
  const release = (broken = false) => {
    driver.seal()
    client.release(broken || pool.isRetired(client))
  }
  return {
    client,
    db: createDb(driver),
    write: (query) => driver.write(query),
    sendWrites: () => driver.sendWrites(),
    seal: () => driver.seal(),
    commit: async () => {
      monitor.started(client)
      await commit(client).finally(() => monitor.ended(client))
    },
    release,
    retirePool: () => pool.retire(),
  }
}

async function checkOutToWrite(pool: RetirablePool, monitor: CommitMonitor): Promise<Connection> {
  monitor.requireWritable()
  const connection = await checkOut(pool, monitor)
  // Writes may have been refused while this one waited for a connection.
  if (monitor.isReadOnly) connection.release()
  monitor.requireWritable()
  return connection
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
  monitor: CommitMonitor,
  connect: () => Promise<Connection>,
  firstStatement: string,
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connect()
  const { isReadOnly } = monitor
  let broken = true
  try {
    // The first statements are sent together with `begin`. If that fails, they fail too.
    const begin = isReadOnly ? 'begin read only' : 'begin'
    const beginning = sendText(connection.client, `${begin}; ${firstStatement}`)
    const [, result] = await Promise.all([beginning, (async () => body(connection.db))()])
    connection.seal()
    await connection.commit()
    broken = false
    return result
  } catch (error) {
    if (isFenced(error)) broken = !(await isRolledBack(connection))
    if (!isReadOnlyServer(error)) throw error
    if (isReadOnly) throw readOnlyRefusal()
    connection.retirePool()
    throw error
  } finally {
    // After a failure the connection is closed instead of reused. Failures are rare, and this is always safe.
    connection.release(broken)
  }
}

/** A transaction that is kept out of its workspace is soon run again, so its connection is kept. */
function isRolledBack({ client, seal }: Connection): Promise<boolean> {
  seal()
  return sendText(client, 'rollback').then(
    () => true,
    () => false,
  )
}

async function withoutTransaction<T>(
  monitor: CommitMonitor,
  connect: () => Promise<Connection>,
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connect()
  let broken = true
  // Each statement is also a commit.
  monitor.started(connection.client)
  try {
    const result = await body(connection.db)
    requireConfirmed(connection.client)
    broken = false
    return result
  } finally {
    monitor.ended(connection.client)
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
  // A standby grants the lock too, but there the lock has no effect.
  const result = await client.query(
    'select case when pg_is_in_recovery() then false else pg_try_advisory_lock(hashtextextended($1, 0)) end as held',
    [lock],
  )
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
