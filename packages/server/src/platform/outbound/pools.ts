/**
 * Which connections there are. A pool has those to one receiver, up to the number that each call asks for;
 * calls above it wait in line. Pools that nobody used for a minute are dropped, and there are never more than a
 * bounded number unless all of them are in use.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import { CallFault } from './faults.ts'
import type { Line } from './line.ts'

type Waiter = { readonly maxConnections: number; readonly serve: (line: Line | null) => void }

const notNeeded = () => new CallFault('ours', 'The connection is not needed any more.')
const shuttingDown = () => new CallFault('ours', 'This process is shutting down.')

export class Pool {
  usedAtMs = 0
  readonly #open: () => Line
  readonly #lines = new Set<Line>()
  /** The last one used is the first to be used again, so that the others may close. */
  readonly #idle: Line[] = []
  readonly #waiting = new Set<Waiter>()
  #retired = false

  constructor(open: () => Line) {
    this.#open = open
  }

  get isBusy(): boolean {
    return this.#lines.size > this.#idle.length || this.#waiting.size > 0
  }

  /** Null if as many as allowed are in use. */
  take(maxConnections: number): Line | null {
    if (this.#lines.size - this.#idle.length >= maxConnections) return null
    return this.#idle.pop() ?? this.#add()
  }

  /** Null if this takes until the call gives up, or until the end. */
  wait(maxConnections: number, onGiveUp: (giveUp: () => void) => void): Promise<Line | null> {
    return new Promise((resolve) => {
      const waiter = { maxConnections, serve: resolve }
      this.#waiting.add(waiter)
      onGiveUp(() => {
        this.#waiting.delete(waiter)
        resolve(null)
      })
    })
  }

  /** Instead of one whose connection broke, and never one that was idle: that may have broken as well. */
  replace(broken: Line): Line {
    this.#lines.delete(broken)
    return this.#add()
  }

  giveBack(line: Line): void {
    if (this.#retired && !line.ended) void line.end(notNeeded())
    if (line.ended) this.#lines.delete(line)
    else this.#idle.push(line)
    this.#serveNext()
  }

  /** Closes what is idle now, and the others when they come back. */
  retire(): void {
    this.#retired = true
    for (const line of this.#idle.splice(0)) {
      this.#lines.delete(line)
      void line.end(notNeeded())
    }
  }

  async close(): Promise<void> {
    this.#retired = true
    for (const waiter of this.#waiting) waiter.serve(null)
    this.#waiting.clear()
    await Promise.all([...this.#lines].map((line) => line.end(shuttingDown())))
  }

  #add(): Line {
    const line = this.#open()
    this.#lines.add(line)
    return line
  }

  #serveNext(): void {
    for (const waiter of this.#waiting) {
      const line = this.take(waiter.maxConnections)
      if (line === null) return
      this.#waiting.delete(waiter)
      waiter.serve(line)
    }
  }
}

export type PoolLimits = { readonly maxPools: number; readonly idleMs: number; readonly sweepMs: number }

const usualLimits: PoolLimits = { maxPools: 10_000, idleMs: 60_000, sweepMs: 10_000 }

export class Pools {
  isClosed = false
  readonly #limits: PoolLimits
  /** The one used last stands last. */
  readonly #pools = new Map<string, { readonly leadsTo: string; readonly pool: Pool }>()
  readonly #sweeper: NodeJS.Timeout

  constructor(limits: PoolLimits = usualLimits) {
    this.#limits = limits
    this.#sweeper = setInterval(() => this.#dropUnused(), limits.sweepMs).unref()
  }

  get size(): number {
    return this.#pools.size
  }

  /** `leadsTo` says what the connections are good for: a pool that led elsewhere makes room for a new one. */
  of(key: string, leadsTo: string, open: () => Line): Pool {
    const known = this.#pools.get(key)
    if (known !== undefined) this.#pools.delete(key)
    const isSame = known?.leadsTo === leadsTo
    if (!isSame) {
      known?.pool.retire()
      if (this.#pools.size >= this.#limits.maxPools) this.#dropOldest()
    }
    const entry = isSame ? known : { leadsTo, pool: new Pool(open) }
    entry.pool.usedAtMs = monotonicMs()
    this.#pools.set(key, entry)
    return entry.pool
  }

  forget(key: string): void {
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
      if (!pool.isBusy) this.forget(key)
    }
  }

  #dropOldest(): void {
    const oldest = this.#pools.entries().find(([, { pool }]) => !pool.isBusy)
    if (oldest !== undefined) this.forget(oldest[0])
  }
}
