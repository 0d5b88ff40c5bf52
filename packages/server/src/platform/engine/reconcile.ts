/**
 * Keeps the engine honest. One process per shard holds a lock in Postgres and looks every few seconds: it
 * makes the stream and the consumers that are missing, and publishes what is due and nobody holds. So a lost
 * message, a wiped store or a deleted stream costs seconds, never work. While NATS is away it does the work
 * itself. If it dies, its connection and the lock go with it, and another process takes over.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import { uuidOf } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import type { Leadership, Shard } from '../db/databases.ts'
import { attempt, type EngineDeps, type WorkContext } from './attempt.ts'
import type { Connection } from './connection.ts'
import { inParallel } from './in-parallel.ts'
import { Nap, orAfter } from './nap.ts'
import { countParked, failingOf } from './parking.ts'
import type { Publisher } from './publish.ts'
import { forgetLooks, type LookFigures, tellOfDue, tellOfLook } from './reconciler-figures.ts'
import { readDue } from './settle.ts'
import { type EngineState, ensureStreams, type StreamSettings, streamName } from './streams.ts'
import { UnderWay } from './under-way.ts'
import type { Due, Work } from './work.ts'

export type ReconcilerSettings = StreamSettings & {
  /** Between two looks. */
  readonly intervalMs: number
  /** Between two looks while more is due than one look takes on, or when something was lost. */
  readonly busyIntervalMs: number
  /** How many ids of one work the engine holds at most through us, so that an overload is never multiplied. */
  readonly maxHeld: number
  /** How long JetStream may be unusable before the work is done here. */
  readonly inlineAfterMs: number
  /** How many of one work are done here before looking again. */
  readonly inlinePortion: number
  readonly inlineHands: number
}

/** How long the database may take to say that the lock is still held. */
const answerTimeoutMs = 5_000

export const reconcilerDefaults: ReconcilerSettings = {
  intervalMs: 5_000,
  busyIntervalMs: 1_000,
  maxHeld: 10_000,
  inlineAfterMs: 30_000,
  inlinePortion: 200,
  inlineHands: 8,
  replicas: 1,
  ackWaitMs: 30_000,
}

type Options<Deps extends EngineDeps> = {
  readonly shard: Shard
  readonly context: WorkContext<Deps> & { readonly metrics: LookFigures }
  readonly connection: Connection
  readonly publisher: Publisher
  readonly works: readonly Work<Deps>[]
  readonly settings: ReconcilerSettings
  /** Called at every look, for what else the holder has to do. */
  readonly alsoDo: () => void
  /** Called when another process may look from now on. */
  readonly resigned: () => void
}

export class Reconciler<Deps extends EngineDeps> {
  readonly #options: Options<Deps>
  readonly #nap = new Nap()
  #leadership: Leadership | null = null
  #lastUsableMs = monotonicMs()
  /** Since when it has not taken what it was given; null while it does. */
  #refusedSinceMs: number | null = null
  #refused = false
  #lastWholeLookMs = Number.NEGATIVE_INFINITY
  #createdAt: string | null = null
  readonly #underWay = new UnderWay()
  #unlisten = () => {}
  #ended: Promise<void> = Promise.resolve()

  constructor(options: Options<Deps>) {
    this.#options = options
  }

  start(): void {
    // A server that comes back may have lost everything.
    this.#unlisten = this.#options.connection.onConnected(() => this.#nap.shorten(0))
    this.#ended = this.#live()
  }

  /** Something seems to be lost. Looks shortly, if this process is the one that looks. */
  soon(): void {
    if (this.#leadership !== null) this.#nap.shorten(this.#options.settings.busyIntervalMs)
  }

  async stop(patienceMs: number): Promise<void> {
    this.#unlisten()
    this.#nap.end()
    await orAfter(patienceMs, Promise.all([this.#ended, this.#underWay.ended()]), undefined)
    await this.#resign()
  }

  async #live(): Promise<void> {
    const { log } = this.#options.context
    while (!this.#nap.ended) {
      const again = await this.#look().catch((error) => {
        log.error('The reconciler failed. It looks again soon.', { error, shard: this.#options.shard.name })
        return this.#options.settings.intervalMs
      })
      await this.#nap.sleep(again)
    }
  }

  /** Gives the milliseconds until the next look. */
  async #look(): Promise<number> {
    const { settings, context, shard, alsoDo } = this.#options
    if (!(await this.#leads())) return settings.intervalMs
    alsoDo()
    const state = await this.#engineState()
    tellOfLook(context.metrics, await countParked(shard))
    if (state !== null) {
      const again = await this.#handOutAll(state)
      // A server that answers and stores nothing is as good as none.
      const refusedMs = this.#refusedSinceMs === null ? 0 : monotonicMs() - this.#refusedSinceMs
      if (refusedMs < settings.inlineAfterMs) return again
      context.log.warn('JetStream takes nothing. Its work is done here.', { stream: streamName })
      return this.#doAll()
    }
    const unusableMs = monotonicMs() - this.#lastUsableMs
    const inline = !this.#options.connection.configured || unusableMs >= settings.inlineAfterMs
    return inline ? this.#doAll() : settings.busyIntervalMs
  }

  async #leads(): Promise<boolean> {
    const { shard, context } = this.#options
    if (this.#leadership !== null) {
      // A connection that nobody answers on any more holds nothing.
      if (await orAfter(answerTimeoutMs, this.#leadership.stillHeld(), false)) return true
      context.log.warn('This process no longer reconciles.', { shard: shard.name })
      await this.#resign()
    }
    this.#leadership = await shard.lead(`switchyard.reconcile.${shard.name}`)
    if (this.#leadership !== null) context.log.info('This process reconciles.', { shard: shard.name })
    return this.#leadership !== null
  }

  async #resign(): Promise<void> {
    const leadership = this.#leadership
    this.#leadership = null
    forgetLooks(this.#options.context.metrics)
    this.#options.resigned()
    if (leadership !== null)
      await orAfter(
        answerTimeoutMs,
        leadership.release().catch(() => {}),
        undefined,
      )
  }

  /** Makes what is missing and tells what the engine holds; null while it cannot be used. */
  async #engineState(): Promise<EngineState | null> {
    const { connection, works, context, settings } = this.#options
    const line = connection.line()
    if (line === null) return null
    const names = works.map(({ name }) => name)
    const state = await ensureStreams(line.manager, names, settings).catch((error) => {
      context.log.warn('JetStream cannot be used.', { stream: streamName, error })
      return null
    })
    if (state === null) return null
    this.#lastUsableMs = monotonicMs()
    if (this.#createdAt !== null && this.#createdAt !== state.createdAt)
      context.log.warn('The stream was lost and is made again.', { stream: streamName })
    this.#createdAt = state.createdAt
    return state
  }

  async #handOutAll(state: EngineState): Promise<number> {
    const { works, settings } = this.#options
    const startedMs = monotonicMs()
    // Between two whole looks only those are filled up that have run low: the oldest of what is due is what
    // the engine holds already, so each further look mostly asks in vain.
    const early = startedMs - this.#lastWholeLookMs < settings.intervalMs
    if (!early) this.#lastWholeLookMs = startedMs
    let more = false
    this.#refused = false
    for (const work of works) {
      const room = settings.maxHeld - (state.held.get(work.name) ?? 0)
      const skipped = early && room < settings.maxHeld / 2
      more = skipped || (await this.#handOut(work, room)) || more
    }
    if (this.#refused) this.#refusedSinceMs ??= startedMs
    else this.#refusedSinceMs = null
    return more ? settings.busyIntervalMs : settings.intervalMs
  }

  /** Publishes what is due and not held. Tells whether there is more than one look takes on. */
  async #handOut(work: Work<Deps>, room: number): Promise<boolean> {
    const { publisher, settings, context } = this.#options
    const due = await this.#measured(work, settings.maxHeld)
    crashpoint('due.read')
    const { published, failed } = await publisher.publishIfAbsent(work.name, due, room)
    crashpoint('due.published')
    const { log } = context
    if (published > 0) log.debug('Due work was handed out.', { work: work.name, count: published })
    if (failed > 0) log.warn('Due work could not be handed out.', { work: work.name, count: failed })
    if (failed > 0) this.#refused = true
    return failed > 0 || due.length >= settings.maxHeld
  }

  /** Does what is due itself, in portions, until the engine is back. */
  async #doAll(): Promise<number> {
    const { works, settings } = this.#options
    let more = false
    for (const work of works) more = (await this.#doPortion(work)) || more
    // Between two portions it only asks whether it still leads and whether the engine is back.
    return more ? 0 : settings.intervalMs
  }

  async #doPortion(work: Work<Deps>): Promise<boolean> {
    const { shard, context, settings } = this.#options
    const due = await this.#measured(work, settings.inlinePortion)
    const failing = due.length === 0 ? new Set<string>() : await failingOf(shard, work.name, settings.maxHeld)
    const body = async (ref: Due) => {
      if (this.#nap.ended) return
      await attempt(context, work, { ref, failedBefore: failing.has(uuidOf(ref.id)) })
    }
    const { name, hands } = work
    // Work with hands of its own may take as long as it likes, so others do not wait for it. What was just begun
    // still looks due for a moment: only if all of it is new there may be more.
    if (hands !== undefined) return this.#underWay.begin({ name, hands }, due, body) >= settings.inlinePortion
    await inParallel(due, settings.inlineHands, body)
    return due.length >= settings.inlinePortion
  }

  async #measured(work: Work<Deps>, limit: number): Promise<readonly Due[]> {
    const { shard, context } = this.#options
    const due = await readDue(shard, context.deps, work, limit)
    tellOfDue(context.metrics, work.name, due.length, await this.#ageOf(due[0]))
    return due
  }

  /** By the clock that made it due: a machine's own may differ. */
  async #ageOf(oldest: Due | undefined): Promise<number> {
    if (oldest === undefined) return 0
    const { shard, context } = this.#options
    const reading = context.deps.clock.read()
    const now = reading.from === 'harness' ? reading.at : await shard.time()
    return Math.max(0, (now.getTime() - oldest.dueAt.getTime()) / 1000)
  }
}
