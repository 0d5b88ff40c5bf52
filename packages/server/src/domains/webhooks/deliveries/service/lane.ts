/** An endpoint while this process serves it: its queue, its requests in flight, and its health. */
import { monotonicMs } from '../../../../kernel/clock.ts'
import type { Id, Mode, Ref } from '../../../../kernel/id.ts'
import { modeOf, uuidOf } from '../../../../kernel/id.ts'
import { afterFailure, afterSuccess, type Breaker, closedBreaker, resumeBreaker } from '../breaker.ts'
import type { DeliveryOutcome } from '../delivery.ts'
import { countsTowardBreaker } from '../outcome.ts'
import { initialWindow, windowAfter } from '../pace.ts'
import type { ClaimedLane, DueDelivery, LaneHealth, LaneSettings } from '../store/lanes.ts'
import type { LaneChange } from '../store/results.ts'
import type { Secret } from './secrets.ts'

/** How far to read ahead, as a multiple of the allowed concurrency. */
const readAhead = 4
/**
 * How many deliveries may be started without a stored result, as a multiple of the allowed concurrency. If
 * the database fails, these may be sent again by the next process.
 */
const maxUnwritten = 2
/** How long data read ahead may be out of date. */
const rereadAfterMs = 200
/** A success is written once a minute, so that a busy lane does not write its row constantly. */
const writeSuccessEveryMs = 60_000

export class Lane {
  /** Ids come from callers: an id is only valid together with its workspace. */
  static keyOf({ workspaceId, id }: Ref<'webhook_endpoint'>): string {
    return `${workspaceId} ${id}`
  }

  readonly ref: Ref<'webhook_endpoint'>
  readonly workspaceUuid: string
  readonly endpointUuid: string
  readonly mode: Mode
  settings: LaneSettings | null = null
  /** The epoch of the health in memory: it changes when the health is reset. */
  epoch = -1
  secrets: readonly Secret[] = []
  /** Whether this process holds the lease. */
  claimed = false
  /** Whether deliveries may have become due since the last read. */
  dirty = true
  /** Whether more deliveries may be due than the last read returned. */
  hasMore = false
  refilling = false
  /** Whether the lane is being released. A read during the release would claim it again. */
  releasing = false
  /** Deliveries that were started and whose results are not written yet. */
  readonly unwritten = new Set<string>()
  inFlight = 0
  /** The number of running transactions for this lane. The lane does not end before they do. */
  openTransactions = 0
  lastSendMs = Number.NEGATIVE_INFINITY
  nextDueAt: Date | null = null
  /** Not null: the lane is paused for this time. Waiting deliveries stay in the database. */
  pauseSeconds: number | null = null
  #queue: DueDelivery[] = []
  readonly #queued = new Set<string>()
  /** Deliveries whose result was written, and the last refill that may have read them before that write. */
  readonly #writtenDeliveries = new Map<string, number>()
  #breaker: Breaker = closedBreaker
  #window = initialWindow
  #failingSinceAt: Date | null = null
  #failedDeliveries = 0
  #warnings = 0
  #succeeded = false
  #successWrittenMs = Number.NEGATIVE_INFINITY
  #lastChange = ''
  #lastReadMs = Number.NEGATIVE_INFINITY
  readonly #waiters: (() => void)[] = []

  constructor(ref: Ref<'webhook_endpoint'>) {
    this.ref = ref
    this.mode = modeOf(ref.id)
    this.workspaceUuid = uuidOf(ref.workspaceId)
    this.endpointUuid = uuidOf(ref.id as Id<'webhook_endpoint'>)
  }

  whenEnded(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  end(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }

  get breakerOpen(): boolean {
    return this.#breaker.open
  }

  get warnings(): number {
    return this.#warnings
  }

  get failure(): { readonly sinceAt: Date | null; readonly deliveries: number } {
    return { sinceAt: this.#failingSinceAt, deliveries: this.#failedDeliveries }
  }

  setWarnings(level: number): void {
    this.#warnings = level
  }

  /** How many rows to read. It includes deliveries in memory: they are still due, and returned first. */
  get refillLimit(): number {
    const ahead = this.breakerOpen ? 1 : readAhead * this.#window
    return this.unwritten.size + this.#queue.length + ahead
  }

  get needsRefill(): boolean {
    if (this.refilling || this.releasing || this.pauseSeconds !== null) return false
    if (!(this.dirty || this.hasMore)) return false
    if (this.#queue.length <= this.#window / 2) return true
    // Even with a full queue a dirty lane is read again: its settings may have changed, or it was disabled.
    return this.dirty && monotonicMs() - this.#lastReadMs >= rereadAfterMs
  }

  /** Whether the lane itself allows the next request. The slots of the process are a separate limit. */
  get canSend(): boolean {
    if (this.#queue.length === 0 || this.pauseSeconds !== null) return false
    if (this.unwritten.size >= maxUnwritten * (this.settings?.maxInFlight ?? 1)) return false
    return this.breakerOpen ? this.inFlight === 0 : this.inFlight < this.#window
  }

  get next(): DueDelivery | undefined {
    return this.#queue[0]
  }

  startNext(): DueDelivery {
    const delivery = this.#queue.shift() as DueDelivery
    this.#queued.delete(delivery.uuid)
    this.unwritten.add(delivery.uuid)
    this.inFlight += 1
    return delivery
  }

  /** No delivery waits or is in flight, and there is no reason to read again. */
  get isIdle(): boolean {
    return this.isIdleExcept(0)
  }

  /** Like `isIdle`, but ignores this many deliveries whose results are about to be written. */
  isIdleExcept(ignored: number): boolean {
    const nothingRuns = !this.refilling && this.openTransactions === 0
    const isEmpty = nothingRuns && this.#queue.length === 0 && this.unwritten.size === ignored
    return isEmpty && (this.pauseSeconds !== null || !(this.dirty || this.hasMore))
  }

  /**
   * Accepts the result of a refill that read at most `limit` rows. A delivery whose result was written before
   * refill `number` started cannot be returned by later refills, so it no longer needs to be remembered.
   */
  acceptRefill(refill: ClaimedLane, limit: number, number: number): void {
    this.#lastReadMs = monotonicMs()
    // After a reset the health in memory is outdated: a new URL is a new receiver.
    if (!this.claimed || this.epoch !== refill.epoch) this.#resume(refill.health)
    this.epoch = refill.epoch
    this.claimed = true
    this.settings = refill.settings
    this.#window = Math.min(this.#window, refill.settings.maxInFlight)
    this.hasMore = refill.due.length >= limit
    this.nextDueAt = refill.nextDueAt
    for (const [uuid, lastRefill] of this.#writtenDeliveries)
      if (lastRefill < number) this.#writtenDeliveries.delete(uuid)
    for (const delivery of refill.due) this.#enqueue(delivery)
    // The lane was paused during the read.
    if (this.pauseSeconds !== null) this.dropQueue()
  }

  #enqueue(delivery: DueDelivery): void {
    const { uuid } = delivery
    if (this.unwritten.has(uuid) || this.#writtenDeliveries.has(uuid)) return
    // Replace a queued delivery: it may have changed since it was read.
    if (this.#queued.has(uuid)) {
      this.#queue = this.#queue.map((queued) => (queued.uuid === uuid ? delivery : queued))
      return
    }
    this.#queue.push(delivery)
    this.#queued.add(uuid)
  }

  /** Accepts that no delivery can be sent: none is due, or the endpoint is paused or disabled. */
  acceptEmptyRefill(nextDueAt: Date | null): void {
    this.#lastReadMs = monotonicMs()
    this.hasMore = false
    this.nextDueAt = nextDueAt
    this.dropQueue()
  }

  /** Waiting deliveries stay in the database. */
  dropQueue(): void {
    this.#queue = []
    this.#queued.clear()
    this.hasMore = false
  }

  /** Starts no further requests, so that other processes can take over. */
  stopSending(): void {
    this.dropQueue()
    this.dirty = false
  }

  /** Pauses the lane; a longer pause that was already requested is kept. */
  pause(seconds: number): void {
    this.pauseSeconds = Math.max(this.pauseSeconds ?? 0, seconds)
    this.dropQueue()
  }

  /**
   * Call this if the change of this lane was not written because its row was locked: it is then written
   * again.
   */
  onWriteSkipped(): void {
    this.#lastChange = ''
    if (this.releasing) Object.assign(this, { releasing: false, claimed: true })
  }

  markWritten(uuid: string, lastRefill: number): void {
    this.unwritten.delete(uuid)
    this.#writtenDeliveries.set(uuid, lastRefill)
  }

  /** Updates the health after an attempt. `tries` counts the attempts in the round, including this one. */
  recordAttempt(attempt: {
    readonly outcome: DeliveryOutcome
    readonly status: number | null
    readonly tries: number
    readonly wasProbe: boolean
    readonly pauseSeconds: number | null
    readonly now: Date
    readonly nowMs: number
  }): void {
    const { outcome, status, nowMs } = attempt
    const wasOpen = this.breakerOpen
    this.#window = windowAfter(this.#window, outcome, this.settings?.maxInFlight ?? 1)
    if (outcome === 'ok') {
      this.#breaker = afterSuccess(this.#breaker, nowMs)
      if (wasOpen) this.#window = 1
      this.#failingSinceAt = null
      this.#failedDeliveries = 0
      // End the pause of the breaker: deliveries wait for this probe. Without an open breaker, a pause that
      // the receiver requested stays in effect.
      if (wasOpen) Object.assign(this, { pauseSeconds: null, dirty: true })
      if (nowMs - this.#successWrittenMs >= writeSuccessEveryMs) this.#succeeded = true
      return
    }
    this.#failingSinceAt ??= attempt.now
    if (attempt.tries === 1) this.#failedDeliveries += 1
    if (countsTowardBreaker(outcome, status))
      this.#breaker = afterFailure(this.#breaker, nowMs, attempt.wasProbe)
    if (this.breakerOpen) this.pause(this.#breaker.probeWaitSeconds)
    if (attempt.pauseSeconds !== null) this.pause(attempt.pauseSeconds)
  }

  /** The state of the lane to write; null if it is unchanged. */
  unwrittenChange(release: boolean, nowMs: number): LaneChange | null {
    const change = {
      workspaceUuid: this.workspaceUuid,
      endpointUuid: this.endpointUuid,
      health: this.breakerOpen ? 'open' : this.#failingSinceAt === null ? 'healthy' : 'failing',
      pauseSeconds: this.pauseSeconds,
      probeWaitSeconds: this.#breaker.probeWaitSeconds,
      failingSinceAt: this.#failingSinceAt,
      failedDeliveries: this.#failedDeliveries,
      failuresInARow: this.#breaker.consecutiveFailures,
      epoch: this.epoch,
    } as const
    const text = JSON.stringify(change)
    const succeeded = this.#succeeded
    if (text === this.#lastChange && !succeeded && !release) return null
    this.#lastChange = text
    if (succeeded) this.#successWrittenMs = nowMs
    this.#succeeded = false
    return { ...change, succeeded, release }
  }

  #resume(health: LaneHealth): void {
    this.#breaker = resumeBreaker({
      open: health.open,
      probeWaitSeconds: health.probeWaitSeconds,
      consecutiveFailures: health.failuresInARow,
    })
    this.#failingSinceAt = health.failingSinceAt
    this.#failedDeliveries = health.failedDeliveries
    this.#warnings = health.warnings
    this.pauseSeconds = null
    this.#lastChange = ''
  }
}
