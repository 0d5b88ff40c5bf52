/**
 * Detects that commits wait for a synchronous standby that does not respond, and refuses writes until a commit is
 * confirmed again. Reads continue. Without this, each write would occupy a connection until its timeout.
 *
 * A commit that waits is neither undone nor visible. Its connection is closed here, so that the pool can be used for
 * reads; PostgreSQL completes it as soon as a standby responds.
 */
import { Client, type ClientBase } from 'pg'
import { monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import { requireConfirmed, watchNotices } from './commit.ts'
import { connectionOptions } from './connection-options.ts'
import { streamOf } from './connection-stream.ts'
import { longestCommitWaitMs } from './server-status.ts'

/** How long a commit may wait for a standby before writes are refused. */
export const maxCommitWaitMs = 2_000
const tickMs = 250
const checkPauseMs = 1_000
const probePauseMs = 500
/** The timeout of a probe. The next probe uses a new connection, which may lead to another server. */
const probeTimeoutMs = 5_000
const retryAfterSeconds = 5

/**
 * Writes a record to the log that standbys ignore. Once its commit is confirmed, all earlier commits are confirmed too,
 * because standbys receive them in order.
 */
const probe = `begin; select pg_logical_emit_message(true, 'switchyard', 'probe'); commit`

export type CommitMonitorOptions = {
  readonly url: string
  /** Called when writes are refused, and when they are allowed again. */
  readonly onChange: (isReadOnly: boolean) => void
}

export class CommitMonitor {
  readonly #options: CommitMonitorOptions
  /** When each connection began to wait for its commit, the earliest first. */
  readonly #pending = new Map<ClientBase, number>()
  readonly #ticking: NodeJS.Timeout
  #isReadOnly = false
  #isClosed = false
  #isChecking = false
  #nextCheckMs = 0
  #probing: Promise<void> | null = null

  constructor(options: CommitMonitorOptions) {
    this.#options = options
    this.#ticking = setInterval(() => this.#tick(), tickMs).unref()
  }

  get isReadOnly(): boolean {
    return this.#isReadOnly
  }

  requireWritable(): void {
    if (this.#isReadOnly) throw readOnlyRefusal()
  }

  /** Call this when a commit is sent. */
  started(client: ClientBase): void {
    this.#pending.set(client, monotonicMs())
  }

  /** Call this when its result is known, or the connection is lost. */
  ended(client: ClientBase): void {
    this.#pending.delete(client)
  }

  /** Refuses writes until a commit is confirmed. Call this when a commit was not confirmed. */
  refuseWrites(): void {
    if (this.#isClosed || this.#isReadOnly) return
    this.#isReadOnly = true
    this.#options.onChange(true)
    this.#closeWaiting()
    this.#probing = this.#probeUntilConfirmed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#ticking)
    await this.#probing
  }

  #tick(): void {
    if (this.#isReadOnly) this.#closeWaiting()
    else this.#checkIfLate()
  }

  #checkIfLate(): void {
    const [oldestMs] = this.#pending.values()
    const nowMs = monotonicMs()
    if (oldestMs === undefined || nowMs - oldestMs < maxCommitWaitMs) return
    if (this.#isChecking || nowMs < this.#nextCheckMs) return
    this.#nextCheckMs = nowMs + checkPauseMs
    this.#isChecking = true
    // Without a response, the cause of the delay is not known, and the timeouts of the connections apply.
    this.#check()
      .catch(() => {})
      .finally(() => {
        this.#isChecking = false
      })
  }

  /** A commit can also be slow because of a slow disk or network: only those that wait for a standby count. */
  async #check(): Promise<void> {
    const waitMs = await this.#withClient((client) => longestCommitWaitMs(client))
    if (waitMs >= maxCommitWaitMs) this.refuseWrites()
  }

  #closeWaiting(): void {
    const startedBefore = monotonicMs() - maxCommitWaitMs
    for (const [client, sinceMs] of this.#pending) if (sinceMs <= startedBefore) streamOf(client).destroy()
  }

  async #probeUntilConfirmed(): Promise<void> {
    while (!this.#isClosed) {
      const isConfirmed = await this.#withClient(async (client) => {
        await client.query(probe)
        requireConfirmed(client)
        return true
      }).catch(() => false)
      if (isConfirmed) break
      await new Promise((resolve) => setTimeout(resolve, probePauseMs))
    }
    this.#isReadOnly = false
    this.#probing = null
    if (!this.#isClosed) this.#options.onChange(false)
  }

  /** A new connection, because all connections of the pools may be waiting. */
  async #withClient<T>(body: (client: Client) => Promise<T>): Promise<T> {
    const limits = { query_timeout: probeTimeoutMs }
    const client = new Client({ ...connectionOptions(this.#options.url, null), ...limits })
    // If the connection is lost, its statements fail. Without a listener the event would also end the process.
    client.on('error', () => {})
    watchNotices(client, () => {})
    const closing = setInterval(() => {
      if (this.#isClosed) streamOf(client).destroy()
    }, tickMs)
    try {
      await client.connect()
      return await body(client)
    } finally {
      clearInterval(closing)
      // Ending a connection that was destroyed fails.
      await client.end().catch(() => {})
    }
  }
}

export function readOnlyRefusal(): Refusal {
  return new Refusal('read_only', { retryAfterSeconds })
}
