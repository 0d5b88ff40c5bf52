/**
 * Connection pools. A pool has the connections to one receiver. Each call states the maximum number of
 * connections; if all are in use, the call waits in a queue. Pools that have not been used for a minute are
 * dropped, and their number is limited unless all of them are in use.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import type { OutboundConnection } from './connection.ts'
import { CallFault } from './faults.ts'

type Waiter = {
  readonly maxConnections: number
  readonly serve: (connection: OutboundConnection | null) => void
}

const noLongerNeeded = () => new CallFault('ours', 'The connection is no longer needed.')
const shuttingDown = () => new CallFault('ours', 'This process is shutting down.')

export class Pool {
  usedAtMs = 0
  readonly #open: () => OutboundConnection
  readonly #connections = new Set<OutboundConnection>()
  /** The most recently used connection is reused first, so that the others can time out. */
  readonly #idle: OutboundConnection[] = []
  readonly #waiting = new Set<Waiter>()
  #retired = false

  constructor(open: () => OutboundConnection) {
    this.#open = open
  }

  get isBusy(): boolean {
    return this.#connections.size > this.#idle.length || this.#waiting.size > 0
  }

  /** Null if the maximum number is in use. */
  take(maxConnections: number): OutboundConnection | null {
    if (this.#connections.size - this.#idle.length >= maxConnections) return null
    return this.#idle.pop() ?? this.#add()
  }

  /** Null if the call times out, or the pool closes. */
  wait(maxConnections: number, onCancel: (cancel: () => void) => void): Promise<OutboundConnection | null> {
    return new Promise((resolve) => {
      const waiter = { maxConnections, serve: resolve }
      this.#waiting.add(waiter)
      onCancel(() => {
        this.#waiting.delete(waiter)
        resolve(null)
      })
    })
  }

  /** Replaces a broken connection with a new one, never with an idle one, which may be broken as well. */
  replace(broken: OutboundConnection): OutboundConnection {
    this.#connections.delete(broken)
    return this.#add()
  }

  release(connection: OutboundConnection): void {
    if (this.#retired && !connection.ended) void connection.end(noLongerNeeded())
    if (connection.ended) this.#connections.delete(connection)
    else this.#idle.push(connection)
    this.#serveNext()
  }

  /** Closes idle connections now, and the others when they are returned. */
  retire(): void {
    this.#retired = true
    for (const connection of this.#idle.splice(0)) {
      this.#connections.delete(connection)
      void connection.end(noLongerNeeded())
    }
  }

  async close(): Promise<void> {
    this.#retired = true
    for (const waiter of this.#waiting) waiter.serve(null)
    this.#waiting.clear()
    await Promise.all([...this.#connections].map((connection) => connection.end(shuttingDown())))
  }

  #add(): OutboundConnection {
    const connection = this.#open()
    this.#connections.add(connection)
    return connection
  }

  #serveNext(): void {
    for (const waiter of this.#waiting) {
      const connection = this.take(waiter.maxConnections)
      if (connection === null) return
      this.#waiting.delete(waiter)
      waiter.serve(connection)
    }
  }
}

export type PoolLimits = { readonly maxPools: number; readonly idleMs: number; readonly sweepMs: number }

const defaultLimits: PoolLimits = { maxPools: 10_000, idleMs: 60_000, sweepMs: 10_000 }

export class Pools {
  isClosed = false
  readonly #limits: PoolLimits
  /** The most recently used pool is last. */
  readonly #pools = new Map<string, { readonly destination: string; readonly pool: Pool }>()
  readonly #sweeper: NodeJS.Timeout

  constructor(limits: PoolLimits = defaultLimits) {
    this.#limits = limits
    this.#sweeper = setInterval(() => this.#dropUnused(), limits.sweepMs).unref()
  }

  get size(): number {
    return this.#pools.size
  }

  /**
   * Returns the pool with this key. An existing pool with a different `destination` is replaced.
   */
  of(key: string, destination: string, open: () => OutboundConnection): Pool {
    const existing = this.#pools.get(key)
    if (existing !== undefined) this.#pools.delete(key)
    const isSame = existing?.destination === destination
    if (!isSame) {
      existing?.pool.retire()
      if (this.#pools.size >= this.#limits.maxPools) this.#dropOldest()
    }
    const entry = isSame ? existing : { destination, pool: new Pool(open) }
    entry.pool.usedAtMs = monotonicMs()
    this.#pools.set(key, entry)
    return entry.pool
  }

  remove(key: string): void {
    this.#pools.get(key)?.pool.retire()
    this.#pools.delete(key)
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearInterval(this.#sweeper)
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.close()))
    this.#pools.clear()
  }

  #dropUnused(): void {
    const before = monotonicMs() - this.#limits.idleMs
    for (const [key, { pool }] of this.#pools) {
      if (pool.usedAtMs > before) return
      if (!pool.isBusy) this.remove(key)
    }
  }

  #dropOldest(): void {
    const oldest = this.#pools.entries().find(([, { pool }]) => !pool.isBusy)
    if (oldest !== undefined) this.remove(oldest[0])
  }
}
