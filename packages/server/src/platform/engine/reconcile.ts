/**
 * Keeps the engine consistent with Postgres. One process per shard holds a lock in Postgres and runs a pass
 * every few seconds: it creates missing streams and consumers, and publishes due work that is not in the
 * stream. So a lost message, an erased JetStream store or a deleted stream delays work by seconds, and no
 * work is lost. While NATS is unavailable it does the work itself. If the process crashes, its connection and
 * the lock are released, and another process takes over.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import { uuidOf } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import type { Leadership, Shard } from '../db/databases.ts'
import { mapConcurrently } from '../map-concurrently.ts'
import { attempt, type EngineDeps, type WorkContext } from './attempt.ts'
import { BackgroundTasks } from './background-tasks.ts'
import { CancellableSleep, withTimeout } from './cancellable-sleep.ts'
import type { Connection } from './connection.ts'
import { countParked, listFailingIds } from './parking.ts'
import type { Publisher } from './publish.ts'
import { readDue } from './read-due.ts'
import {
  type ReconcilerMetrics,
  recordDueWork,
  recordPass,
  resetReconcilerMetrics,
} from './reconciler-metrics.ts'
import { type EngineState, ensureStreams, type StreamSettings } from './streams.ts'
import type { Stream } from './subjects.ts'
import type { Due, WorkType } from './work.ts'

export type ReconcilerSettings = StreamSettings & {
  /** The pause between two passes. */
  readonly intervalMs: number
  /** The pause between two passes while more work is due than one pass can handle, or after a lost message. */
  readonly busyIntervalMs: number
  /**
   * The maximum number of ids of one work type that the reconciler keeps in the stream, so that an overload is not
   * amplified.
   */
  readonly maxQueued: number
  /**
   * How long JetStream may be unusable before this process does the work itself. A cluster that loses a leader
   * elects another one in 4 to 9 seconds, or twice that if the votes are split.
   */
  readonly inlineAfterMs: number
  /** How many work items of one type this process handles before the next pass. */
  readonly inlineBatchSize: number
  readonly inlineConcurrency: number
}

/** How long the database may take to confirm that the lock is still held. */
const lockCheckTimeoutMs = 5_000

export const reconcilerDefaults: ReconcilerSettings = {
  intervalMs: 5_000,
  busyIntervalMs: 1_000,
  maxQueued: 10_000,
  inlineAfterMs: 8_000,
  inlineBatchSize: 200,
  inlineConcurrency: 8,
  replicas: 1,
  ackWaitMs: 30_000,
}

type Options<Deps extends EngineDeps> = {
  readonly shard: Shard
  readonly stream: Stream
  readonly context: WorkContext<Deps> & { readonly metrics: ReconcilerMetrics }
  readonly connection: Connection
  readonly publisher: Publisher
  readonly workTypes: readonly WorkType<Deps>[]
  readonly settings: ReconcilerSettings
  /** Called at every pass, for other tasks of the leader. */
  readonly onPass: () => void
  /** Called when another process may take over. */
  readonly onResign: () => void
}

export class Reconciler<Deps extends EngineDeps> {
  readonly #options: Options<Deps>
  readonly #sleeper = new CancellableSleep()
  #leadership: Leadership | null = null
  #lastUsableMs = monotonicMs()
  /** The time since which JetStream has rejected messages; null while it accepts them. */
  #rejectingSinceMs: number | null = null
  #hasPublishFailed = false
  #lastFullPassMs = Number.NEGATIVE_INFINITY
  #streamCreatedAt: string | null = null
  readonly #backgroundTasks = new BackgroundTasks()
  #removeConnectListener = () => {}
  #loop: Promise<void> = Promise.resolve()

  constructor(options: Options<Deps>) {
    this.#options = options
  }

  start(): void {
    // A server that comes back may have lost all its data.
    this.#removeConnectListener = this.#options.connection.onConnected(() => this.#sleeper.shorten(0))
    this.#loop = this.#runLoop()
  }

  /** Call this when a message may be lost. Runs a pass soon, if this process is the leader. */
  runSoon(): void {
    if (this.#leadership !== null) this.#sleeper.shorten(this.#options.settings.busyIntervalMs)
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#removeConnectListener()
    this.#sleeper.end()
    await withTimeout(timeoutMs, Promise.all([this.#loop, this.#backgroundTasks.finished()]), undefined)
    await this.#resign()
  }

  async #runLoop(): Promise<void> {
    const { log } = this.#options.context
    while (!this.#sleeper.ended) {
      const pauseMs = await this.#runPass().catch((error) => {
        log.error('The reconciler failed. It will be retried.', { error, shard: this.#options.shard.name })
        return this.#options.settings.intervalMs
      })
      await this.#sleeper.sleep(pauseMs)
    }
  }

  /** Returns the milliseconds until the next pass. */
  async #runPass(): Promise<number> {
    const { settings, context, shard, onPass } = this.#options
    if (!(await this.#isLeader())) return settings.intervalMs
    onPass()
    const state = await this.#engineState()
    recordPass(context.metrics, shard.name, await countParked(shard))
    if (state !== null) {
      const pauseMs = await this.#publishAllDue(state)
      // A server that responds but stores nothing is treated as unavailable.
      const rejectingMs = this.#rejectingSinceMs === null ? 0 : monotonicMs() - this.#rejectingSinceMs
      if (rejectingMs < settings.inlineAfterMs) return pauseMs
      context.log.warn('JetStream accepts no messages. This process does the work.', {
        stream: this.#options.stream.name,
      })
      return this.#handleAllInline()
    }
    const unusableMs = monotonicMs() - this.#lastUsableMs
    const isInline = !this.#options.connection.configured || unusableMs >= settings.inlineAfterMs
    return isInline ? this.#handleAllInline() : settings.busyIntervalMs
  }

  async #isLeader(): Promise<boolean> {
    const { shard, context } = this.#options
    if (this.#leadership !== null) {
      // An unresponsive connection does not hold the lock.
      if (await withTimeout(lockCheckTimeoutMs, this.#leadership.isStillHeld(), false)) return true
      context.log.warn('This process is no longer the reconciler.', { shard: shard.name })
      await this.#resign()
    }
    this.#leadership = await shard.acquireLeadership(`switchyard.reconcile.${shard.name}`)
    if (this.#leadership !== null) context.log.info('This process is the reconciler.', { shard: shard.name })
    return this.#leadership !== null
  }

  async #resign(): Promise<void> {
    const leadership = this.#leadership
    this.#leadership = null
    const { context, shard, workTypes } = this.#options
    resetReconcilerMetrics(
      context.metrics,
      shard.name,
      workTypes.map(({ name }) => name),
    )
    this.#options.onResign()
    if (leadership !== null)
      await withTimeout(
        lockCheckTimeoutMs,
        leadership.release().catch(() => {}),
        undefined,
      )
  }

  /** Creates missing streams and returns how much work is queued; null while JetStream is unusable. */
  async #engineState(): Promise<EngineState | null> {
    const { connection, stream, workTypes, context, settings } = this.#options
    const live = connection.live()
    if (live === null) return null
    const names = workTypes.map(({ name }) => name)
    const state = await ensureStreams({ manager: live.manager, stream }, names, settings).catch((error) => {
      context.log.warn('JetStream cannot be used.', { stream: stream.name, error })
      return null
    })
    if (state === null) return null
    this.#lastUsableMs = monotonicMs()
    if (this.#streamCreatedAt !== null && this.#streamCreatedAt !== state.createdAt)
      context.log.warn('The work stream was lost and is being recreated.', {
        stream: this.#options.stream.name,
      })
    this.#streamCreatedAt = state.createdAt
    return state
  }

  async #publishAllDue(state: EngineState): Promise<number> {
    const { workTypes, settings } = this.#options
    const startedMs = monotonicMs()
    // Between two full passes, only work types that have run low are refilled. The oldest due work is already
    // in the stream, so another full pass would publish almost nothing.
    const isRefill = startedMs - this.#lastFullPassMs < settings.intervalMs
    if (!isRefill) this.#lastFullPassMs = startedMs
    let hasMore = false
    this.#hasPublishFailed = false
    for (const work of workTypes) {
      const capacity = settings.maxQueued - (state.queued.get(work.name) ?? 0)
      const skipped = isRefill && capacity < settings.maxQueued / 2
      hasMore = skipped || (await this.#publishDue(work, capacity)) || hasMore
    }
    if (this.#hasPublishFailed) this.#rejectingSinceMs ??= startedMs
    else this.#rejectingSinceMs = null
    return hasMore ? settings.busyIntervalMs : settings.intervalMs
  }

  /** Publishes due work that is not in the stream. Returns whether more work is due than one pass can handle. */
  async #publishDue(work: WorkType<Deps>, capacity: number): Promise<boolean> {
    const { publisher, stream, settings, context } = this.#options
    const due = await this.#readDueAndRecord(work, settings.maxQueued)
    crashpoint('due.read')
    const { published, failed } = await publisher.publishIfAbsent({
      stream,
      work: work.name,
      refs: due,
      limit: capacity,
    })
    crashpoint('due.published')
    const { log } = context
    if (published > 0) log.debug('Due work was published.', { work: work.name, count: published })
    if (failed > 0) log.warn('Due work could not be published.', { work: work.name, count: failed })
    if (failed > 0) this.#hasPublishFailed = true
    return failed > 0 || due.length >= settings.maxQueued
  }

  /**
   * Handles due work in this process, in batches. The next pass checks whether this process is still the leader and
   * whether the engine is back, which can take seconds while JetStream does not respond.
   */
  async #handleAllInline(): Promise<number> {
    const { workTypes, settings } = this.#options
    const startedMs = monotonicMs()
    let hasMore = true
    while (hasMore && !this.#sleeper.ended && monotonicMs() - startedMs < settings.intervalMs) {
      hasMore = false
      for (const work of workTypes) hasMore = (await this.#handleBatchInline(work)) || hasMore
    }
    return hasMore ? 0 : settings.intervalMs
  }

  async #handleBatchInline(work: WorkType<Deps>): Promise<boolean> {
    const { shard, context, settings } = this.#options
    const due = await this.#readDueAndRecord(work, settings.inlineBatchSize)
    const failing =
      due.length === 0 ? new Set<string>() : await listFailingIds(shard, work.name, settings.maxQueued)
    const handle = async (ref: Due) => {
      if (this.#sleeper.ended) return
      await attempt(context, work, { ref, failedBefore: failing.has(uuidOf(ref.id)) })
    }
    const { name, concurrency } = work
    // Work with its own concurrency limit can take a long time, so other work does not wait for it. Work that
    // was just started still looks due for a moment: there may be more only if the whole batch was new.
    if (concurrency !== undefined)
      return this.#backgroundTasks.start({ name, concurrency }, due, handle) >= settings.inlineBatchSize
    await mapConcurrently(settings.inlineConcurrency, due, handle)
    return due.length >= settings.inlineBatchSize
  }

  async #readDueAndRecord(work: WorkType<Deps>, limit: number): Promise<readonly Due[]> {
    const { shard, context } = this.#options
    const due = await readDue(shard, context.deps, work, limit)
    const labels = { shard: shard.name, work: work.name }
    recordDueWork(context.metrics, labels, due.length, await this.#ageOf(due[0]))
    return due
  }

  /** The age by the clock that made the work due, because the clock of this machine may differ. */
  async #ageOf(oldest: Due | undefined): Promise<number> {
    if (oldest === undefined) return 0
    const { shard, context } = this.#options
    const reading = context.deps.clock.read()
    const now = reading.from === 'harness' ? reading.at : await shard.time()
    return Math.max(0, (now.getTime() - oldest.dueAt.getTime()) / 1000)
  }
}
