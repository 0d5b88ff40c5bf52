/**
 * Serves webhook endpoints from this process.
 *
 *   serve ──mark──▶ refills ──due rows──▶ lane ──▶ attempt ──▶ outbox ──results──▶ Postgres
 *                      ▲                                          │
 *                      └──────────── while there is more ─────────┘
 *
 * A lane is an endpoint that is being served. Only the process that holds the lease of a lane sends to it, so
 * that concurrency, rate and health can be tracked in memory. Waiting deliveries are in Postgres: a process
 * that crashes loses nothing, and another one can take over.
 */
import type { Deps } from '../../../../deps.ts'
import { randomFraction } from '../../../../kernel/backoff.ts'
import { addSeconds, machineTime, monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import type { Shard } from '../../../../platform/db/databases.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import type { ProcessNotifier } from '../../../../platform/engine/process-notifications.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Metrics } from '../../../../platform/metrics.ts'
import type { AttemptTrigger } from '../delivery.ts'
import { decideNextStep, requestedPauseSeconds } from '../outcome.ts'
import { nextSendMs } from '../pace.ts'
import { type SlotLimits, Slots, slotKindOf } from '../slots.ts'
import type { DueDelivery, Refill } from '../store/lanes.ts'
import type { Result } from '../store/results.ts'
import { type ConcludedAttempt, initialResult, sendAttempt } from './attempt.ts'
import {
  decideAlert,
  disableGoneEndpoint,
  emitAlert,
  emitRecovery,
  exhaustDelivery,
} from './final-results.ts'
import { Lane } from './lane.ts'
import { LastSendTimes } from './last-send-times.ts'
import { releaseLeases, renewLeases } from './leases.ts'
import { Outbox, type Written } from './outbox.ts'
import { Refills } from './refills.ts'
import { tryOnce } from './test-delivery.ts'

export const deliverWork = 'webhook_endpoint.deliver'

const renewEveryMs = 5_000
/** How long requests in flight may take when the process stops; unfinished ones are sent again. */
const stopTimeoutMs = 15_000
/** The wait after an internal error, which does not count as an attempt. */
const internalErrorWaitSeconds = 10
/** The wait before a lane whose row is locked is read again. */
const lockedWaitMs = 20

export type LaneDispatcherOptions = {
  readonly deps: Deps
  readonly log: Log
  readonly metrics: Metrics
  readonly notifier: ProcessNotifier<'webhook_endpoint'>
  readonly slots?: SlotLimits
}

/** The components that serve the lanes of one shard. */
type LaneShard = { readonly shard: Shard; readonly refills: Refills; readonly outbox: Outbox }

export class LaneDispatcher {
  readonly #options: LaneDispatcherOptions
  readonly #processName: string
  readonly #lanes = new Map<string, Lane>()
  readonly #ready = new Set<Lane>()
  readonly #slots: Slots
  /** A lane stays with its shard until it ends, even if the workspace moves. */
  readonly #shardOfLane = new WeakMap<Lane, LaneShard>()
  readonly #shards = new Map<string, LaneShard>()
  readonly #transactions = new Set<Promise<void>>()
  readonly #lastSendTimes = new LastSendTimes()
  #renewing: NodeJS.Timeout | null = null
  #draining = false

  constructor(options: LaneDispatcherOptions) {
    const { notifier, slots } = options
    this.#options = options
    this.#processName = notifier.processName
    this.#slots = new Slots(slots)
  }

  /** Shards have separate statements, so that one that is unavailable does not delay the others. */
  #openShard(shard: Shard): LaneShard {
    const { deps, log } = this.#options
    const onError = (error: unknown) =>
      log.warn('Webhook delivery is waiting for the database.', { error, shard: shard.name })
    const refills = new Refills({
      deps,
      shard,
      owner: this.#processName,
      onRefilled: (lane, refill) => this.#onRefilled(lane, refill),
      onError,
      onUndecryptable: ({ ref: { id } }, error) =>
        log.error('The secrets of a webhook endpoint cannot be decrypted. Its deliveries are suspended.', {
          error,
          id,
        }),
    })
    const outbox = new Outbox({
      deps,
      shard,
      owner: this.#processName,
      onWritten: (written) => this.#onWritten(written),
      onError,
      onRejected: ({ lane, result: { attempt: record } }, error) => {
        const id = lane.ref.id
        log.error('The result of a webhook delivery could not be stored.', { error, id })
        if (record === null) lane.pause(internalErrorWaitSeconds)
      },
    })
    return { shard, refills, outbox }
  }

  #shardOf(lane: Lane): LaneShard {
    const known = this.#shardOfLane.get(lane)
    if (known !== undefined) return known
    const shard = this.#options.deps.databases.of(lane.ref.workspaceId)
    const parts = this.#shards.get(shard.name) ?? this.#openShard(shard)
    this.#shards.set(shard.name, parts)
    this.#shardOfLane.set(lane, parts)
    return parts
  }

  /**
   * Resolves when nothing more is due; immediately if this or another process already serves the endpoint.
   */
  async serve(ref: Ref<'webhook_endpoint'>): Promise<void> {
    if (this.#draining) return
    this.#start()
    const key = Lane.keyOf(ref)
    const existing = this.#lanes.get(key)
    if (existing !== undefined) {
      existing.dirty = true
      this.#requestRefill(existing)
      return
    }
    const lane = new Lane(ref)
    this.#shardOf(lane)
    lane.lastSendMs = this.#lastSendTimes.get(lane.endpointUuid)
    this.#lanes.set(key, lane)
    const ended = lane.whenEnded()
    this.#requestRefill(lane)
    return ended
  }

  /** Sends a test delivery in a single attempt. */
  tryOnce(ref: Ref<'delivery'>): Promise<void> {
    return tryOnce(this.#options.deps, this.#processName, ref)
  }

  /** Starts no further requests. Requests in flight finish, and other processes take over the lanes. */
  drain(): void {
    this.#draining = true
    for (const { refills } of this.#shards.values()) refills.stop()
    for (const lane of this.#lanes.values()) this.#endIfIdle(lane)
  }

  /** Finishes requests in flight and releases every lane, so that other processes take over. */
  async stop(): Promise<void> {
    this.drain()
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#options.notifier.stop()
    const lanes = [...this.#lanes.values()]
    const finished = Promise.all(lanes.map((lane) => (lane.isIdle ? undefined : lane.whenEnded())))
    await withTimeout(
      stopTimeoutMs,
      finished.then(() => this.#finish()),
      undefined,
    )
    await withTimeout(stopTimeoutMs, this.#releaseLanes(lanes), undefined)
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#transactions)
    await Promise.all([...this.#shards.values()].map(({ outbox }) => outbox.flush()))
  }

  async #releaseLanes(lanes: readonly Lane[]): Promise<void> {
    const { deps } = this.#options
    if (lanes.length === 0) return
    await this.#eachLeaseHolder(lanes, releaseLeases)
    const now = machineTime()
    deps.publish(
      lanes.map(({ ref }) => ({ work: deliverWork, ref, at: now })),
      now,
    )
  }

  async #eachLeaseHolder(lanes: readonly Lane[], change: typeof renewLeases): Promise<void> {
    const byShard = Map.groupBy(lanes, (lane) => this.#shardOf(lane).shard)
    const { log } = this.#options
    const changes = [...byShard].map(([shard, lanesOfShard]) =>
      change({ shard, log, processName: this.#processName }, lanesOfShard),
    )
    await Promise.all(changes)
  }

  #start(): void {
    if (this.#renewing !== null) return
    const renew = () => void this.#eachLeaseHolder([...this.#lanes.values()], renewLeases)
    this.#renewing = setInterval(renew, renewEveryMs)
    this.#renewing.unref()
    this.#options.notifier.listen((ref) => void this.serve(ref))
  }

  #requestRefill(lane: Lane): void {
    if (lane.needsRefill) this.#shardOf(lane).refills.mark(lane)
  }

  #refillOrEnd(lane: Lane): void {
    this.#requestRefill(lane)
    this.#endIfIdle(lane)
  }

  /** `refill` is null if the read failed; the read is then repeated. */
  #onRefilled(lane: Lane, refill: Refill | null): void {
    if (refill?.kind === 'elsewhere') {
      // The process that serves the lane may have read it just before the delivery became due.
      this.#options.notifier.notify(refill.owner, lane.ref)
      lane.claimed = false
      lane.acceptEmptyRefill(null)
    } else if (refill?.kind === 'locked') {
      lane.dirty = true
      setTimeout(() => this.#refillOrEnd(lane), lockedWaitMs)
      return
    } else if (refill?.kind === 'nothing_due') {
      lane.acceptEmptyRefill(refill.nextDueAt)
    }
    if (this.#draining) lane.stopSending()
    this.#ready.add(lane)
    this.#pump()
    // More deliveries may have become due during the read.
    this.#refillOrEnd(lane)
  }

  /** Sends one delivery of each lane in turn, while slots are free. */
  #pump(): void {
    let sent = true
    while (sent && !this.#slots.isFull) {
      sent = false
      for (const lane of this.#ready) {
        if (this.#sendNext(lane)) sent = true
        else if (!lane.canSend) this.#ready.delete(lane)
      }
    }
  }

  #sendNext(lane: Lane): boolean {
    const { next, settings } = lane
    if (!lane.canSend || next === undefined || settings === null) return false
    const nowMs = monotonicMs()
    const sendMs = nextSendMs(lane.lastSendMs, settings.rateLimit, nowMs)
    if (sendMs > nowMs) {
      this.#waitForRateLimit(lane, sendMs - nowMs)
      return false
    }
    const kind = slotKindOf(next.tries)
    if (!this.#slots.tryAcquire(kind, lane.workspaceUuid, () => this.#othersWait(lane))) return false
    lane.lastSendMs = sendMs
    const delivery = lane.startNext()
    this.#requestRefill(lane)
    this.#send(lane, delivery)
      .catch((error) => {
        this.#options.log.error('A webhook could not be sent.', { error, id: lane.ref.id })
        lane.unwritten.delete(delivery.uuid)
        lane.pause(internalErrorWaitSeconds)
      })
      .finally(() => {
        lane.inFlight -= 1
        this.#slots.release(kind, lane.workspaceUuid)
        this.#options.metrics.deliveriesUnderWay.set(this.#slots.inUse)
        this.#ready.add(lane)
        this.#pump()
        this.#endIfIdle(lane)
      })
    return true
  }

  #othersWait(lane: Lane): boolean {
    return [...this.#ready].some((other) => other.canSend && other.workspaceUuid !== lane.workspaceUuid)
  }

  #waitForRateLimit(lane: Lane, ms: number): void {
    this.#ready.delete(lane)
    setTimeout(() => {
      this.#ready.add(lane)
      this.#pump()
    }, ms)
  }

  async #send(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { deps, metrics } = this.#options
    const { settings, mode, endpointUuid, secrets, breakerOpen, epoch } = lane
    if (settings === null) return
    const startedAt = machineTime()
    const [now, nowMs] = [this.#time(), monotonicMs()]
    crashpoint('post.begun')
    if (delivery.attempts === 0)
      metrics.deliveryDelay.observe((startedAt.getTime() - delivery.event.createdAt.getTime()) / 1000)
    const trigger: AttemptTrigger = breakerOpen ? 'probe' : delivery.trigger
    const input = {
      mode,
      endpointUuid,
      settings,
      secrets,
      delivery,
      trigger,
      startedAt,
      now,
      worker: this.#processName,
    }
    const attempted = await sendAttempt(deps.outbound, input)
    crashpoint('post.answered')
    metrics.deliveryAttempts.inc({ outcome: attempted.outcome ?? 'ours' })
    this.#conclude(lane, delivery, { ...attempted, wasProbe: breakerOpen, epoch, nowMs })
  }

  #conclude(lane: Lane, delivery: DueDelivery, attempted: ConcludedAttempt): void {
    const { outcome, status, retryAfter, wasProbe, epoch, nowMs } = attempted
    const base = initialResult(lane, delivery)
    if (outcome === null) {
      this.#shardOf(lane).outbox.add({ lane, result: { ...base, waitSeconds: internalErrorWaitSeconds } })
      return
    }
    const tries = delivery.tries + 1
    const now = this.#time()
    const pauseSeconds = requestedPauseSeconds(outcome, retryAfter, now)
    const hadWarnings = lane.warnings > 0
    // Results from before a change of the URL or a reset do not affect the health of the lane.
    if (lane.epoch === epoch)
      lane.recordAttempt({ outcome, status, tries, wasProbe, pauseSeconds, now, nowMs })
    const next = decideNextStep({ outcome, mode: lane.mode, tries, pauseSeconds, random: randomFraction() })
    const result = { ...base, tries, attempts: delivery.attempts + 1, attempt: attempted.attempt }
    const final = { owner: this.#processName, eventType: delivery.event.type, epoch }
    if (next.kind === 'delivered')
      this.#shardOf(lane).outbox.add({ lane, result: { ...result, state: 'delivered' } })
    else if (next.kind === 'retry') this.#scheduleRetry(lane, { ...result, waitSeconds: next.waitSeconds })
    else if (next.kind === 'gone')
      this.#writeFinalResult(lane, disableGoneEndpoint, { ...final, result: { ...result, state: 'held' } })
    else
      this.#writeFinalResult(lane, exhaustDelivery, { ...final, result: { ...result, state: 'exhausted' } })
    if (outcome === 'ok' && hadWarnings) this.#emitRecovery(lane)
    if (outcome !== 'ok') this.#alertIfFailing(lane)
  }

  #scheduleRetry(lane: Lane, result: Result & { readonly waitSeconds: number }): void {
    const dueAt = addSeconds(this.#time(), result.waitSeconds)
    if (lane.nextDueAt === null || dueAt < lane.nextDueAt) lane.nextDueAt = dueAt
    this.#shardOf(lane).outbox.add({ lane, result })
  }

  /** If the write fails, the delivery is still due, and is sent again. */
  #writeFinalResult(
    lane: Lane,
    write: typeof exhaustDelivery,
    final: Parameters<typeof exhaustDelivery>[2],
  ): void {
    if (write === disableGoneEndpoint) lane.dropQueue()
    this.#runTransaction('A webhook delivery could not be marked as failed.', lane, async () => {
      try {
        await write(this.#options.deps, lane, final)
        if (write === exhaustDelivery) this.#options.metrics.deliveriesExhausted.inc({ mode: lane.mode })
      } finally {
        lane.markWritten(final.result.deliveryUuid, this.#shardOf(lane).refills.count)
        this.#shardOf(lane).outbox.addLane(lane)
      }
    })
  }

  #alertIfFailing(lane: Lane): void {
    const alert = decideAlert(lane.failure, lane.warnings, this.#time())
    if (alert === null) return
    this.#emitAlert('The event for a failing webhook endpoint could not be emitted.', lane, {
      level: alert.kind === 'warn' ? alert.level : lane.warnings,
      emit: () => emitAlert(this.#options.deps, lane, alert),
    })
  }

  #emitRecovery(lane: Lane): void {
    this.#emitAlert('The event for a recovered webhook endpoint could not be emitted.', lane, {
      level: 0,
      emit: () => emitRecovery(this.#options.deps, lane),
    })
  }

  /** A failed emit is repeated after the next attempt. */
  #emitAlert(
    message: string,
    lane: Lane,
    { level, emit }: { level: number; emit: () => Promise<void> },
  ): void {
    const before = lane.warnings
    lane.setWarnings(level)
    this.#runTransaction(message, lane, () =>
      emit().catch((error) => {
        if (lane.warnings === level) lane.setWarnings(before)
        throw error
      }),
    )
  }

  #runTransaction(message: string, lane: Lane, body: () => Promise<void>): void {
    lane.openTransactions += 1
    const running = body()
      .catch((error) => this.#options.log.error(message, { error, id: lane.ref.id }))
      .finally(() => {
        this.#transactions.delete(running)
        lane.openTransactions -= 1
        this.#endIfIdle(lane)
      })
    this.#transactions.add(running)
  }

  #onWritten({ items, lanes, skipped }: Written): void {
    for (const { lane, result } of items) {
      lane.markWritten(result.deliveryUuid, this.#shardOf(lane).refills.count)
      // The next event of the same object can be sent now, so read again.
      if (result.orderPosition !== null && lane.pauseSeconds === null) lane.dirty = true
    }
    // A lane that waited for results to be written can send again.
    for (const lane of lanes) this.#ready.add(lane)
    this.#pump()
    for (const lane of lanes) {
      if (skipped.has(lane)) setTimeout(() => this.#refillOrEnd(lane), lockedWaitMs)
      else this.#refillOrEnd(lane)
    }
  }

  #endIfIdle(lane: Lane): void {
    if (this.#draining) lane.stopSending()
    if (!lane.isIdle || lane.releasing) return
    if (lane.claimed) {
      // The lease is released with the next results, or separately if there are none.
      this.#shardOf(lane).outbox.addLane(lane)
      return
    }
    this.#ready.delete(lane)
    const key = Lane.keyOf(lane.ref)
    if (this.#lanes.get(key) !== lane) return
    this.#lanes.delete(key)
    this.#lastSendTimes.set(lane.endpointUuid, lane.lastSendMs, monotonicMs())
    this.#setTimer(lane)
    lane.end()
  }

  #setTimer(lane: Lane): void {
    const now = this.#time()
    const pausedUntil = lane.pauseSeconds === null ? null : addSeconds(now, lane.pauseSeconds)
    // A lane that became dirty during its pause may have been unpaused. While draining, other processes
    // should take over immediately.
    const at = lane.dirty || this.#draining ? now : (pausedUntil ?? lane.nextDueAt)
    if (at !== null) this.#options.deps.publish([{ work: deliverWork, ref: lane.ref, at }], now)
  }

  #time(): Date {
    const reading = this.#options.deps.clock.read()
    return reading.from === 'harness' ? reading.at : machineTime()
  }
}
