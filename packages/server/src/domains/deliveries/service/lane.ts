/** One endpoint while this process serves it: what waits, what is under way, and how the receiver fares. */
import { monotonicMs } from '../../../kernel/clock.ts'
import type { Id, Mode, Ref } from '../../../kernel/id.ts'
import { modeOf, uuidOf } from '../../../kernel/id.ts'
import { afterFailure, afterSuccess, type Breaker, closedBreaker, resumeBreaker } from '../breaker.ts'
import type { Outcome } from '../delivery.ts'
import { countsForBreaker } from '../outcome.ts'
import { firstWindow, windowAfter } from '../pace.ts'
import type { ClaimedLane, DueDelivery, LaneHealth, LaneSettings } from '../store/lanes.ts'
import type { LaneChange } from '../store/results.ts'
import type { Secret } from './secrets.ts'

/** How far ahead is read, as a multiple of what may be under way. */
const readAhead = 4
/** How long what was read ahead may be out of date. */
const lookAgainMs = 200
/** A success is noted once a minute, so that a busy lane is no busy row. */
const noteSuccessEveryMs = 60_000

export class Lane {
  /** Ids are made by anybody: only with its workspace one is what it says. */
  static keyOf({ workspaceId, id }: Ref<'webhook_endpoint'>): string {
    return `${workspaceId} ${id}`
  }

  readonly ref: Ref<'webhook_endpoint'>
  readonly workspaceUuid: string
  readonly endpointUuid: string
  readonly mode: Mode
  settings: LaneSettings | null = null
  /** Which one what is known of the receiver belongs to. */
  epoch = -1
  secrets: readonly Secret[] = []
  /** Whether the lease is ours. */
  claimed = false
  /** Something may have become due since we last looked. */
  dirty = true
  /** The last look did not see the end. */
  more = false
  refilling = false
  /** Being let go of: a look meanwhile would claim what is given away a moment later. */
  releasing = false
  /** Handed out, and the result is not written yet. */
  readonly unsettled = new Set<string>()
  underWay = 0
  /** Units of work about it that have not ended: it is not done with before they are. */
  telling = 0
  lastTurnMs = Number.NEGATIVE_INFINITY
  nextDueAt: Date | null = null
  /** The receiver is to be left alone for so long; the rest waits in the database. */
  restSeconds: number | null = null
  #queue: DueDelivery[] = []
  readonly #queued = new Set<string>()
  /** Settled ones, and the last refill that may not have seen it. */
  readonly #settled = new Map<string, number>()
  #breaker: Breaker = closedBreaker
  #window = firstWindow
  #failingSinceAt: Date | null = null
  #failedDeliveries = 0
  #warnings = 0
  #succeeded = false
  #successNotedMs = Number.NEGATIVE_INFINITY
  #written = ''
  #lookedMs = Number.NEGATIVE_INFINITY
  readonly #waiters: (() => void)[] = []

  constructor(ref: Ref<'webhook_endpoint'>) {
    this.ref = ref
    this.mode = modeOf(ref.id)
    this.workspaceUuid = uuidOf(ref.workspaceId)
    this.endpointUuid = uuidOf(ref.id as Id<'webhook_endpoint'>)
  }

  ended(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  end(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }

  get open(): boolean {
    return this.#breaker.open
  }

  get warnings(): number {
    return this.#warnings
  }

  get failure(): { readonly sinceAt: Date | null; readonly deliveries: number } {
    return { sinceAt: this.#failingSinceAt, deliveries: this.#failedDeliveries }
  }

  warned(level: number): void {
    this.#warnings = level
  }

  /** How many rows to ask for: those it has come back first, since they are still due. */
  get room(): number {
    const ahead = this.open ? 1 : readAhead * this.#window
    return this.unsettled.size + this.#queue.length + ahead
  }

  get wantsRefill(): boolean {
    if (this.refilling || this.releasing || this.restSeconds !== null) return false
    if (!(this.dirty || this.more)) return false
    if (this.#queue.length <= this.#window / 2) return true
    // Rung although there is enough to do: its settings may have changed, or it was disabled.
    return this.dirty && monotonicMs() - this.#lookedMs >= lookAgainMs
  }

  /** Whether the next one may be sent, as far as the receiver is concerned. */
  get ready(): boolean {
    if (this.#queue.length === 0 || this.restSeconds !== null) return false
    return this.open ? this.underWay === 0 : this.underWay < this.#window
  }

  get next(): DueDelivery | undefined {
    return this.#queue[0]
  }

  take(): DueDelivery {
    const delivery = this.#queue.shift() as DueDelivery
    this.#queued.delete(delivery.uuid)
    this.unsettled.add(delivery.uuid)
    this.underWay += 1
    return delivery
  }

  /** Nothing waits, nothing is under way, and there is no reason to look again. */
  get idle(): boolean {
    return this.isIdleBut(0)
  }

  isIdleBut(unwritten: number): boolean {
    const atRest = !this.refilling && this.telling === 0
    const quiet = atRest && this.#queue.length === 0 && this.unsettled.size === unwritten
    return quiet && (this.restSeconds !== null || !(this.dirty || this.more))
  }

  /** What a refill brought. `number` counts refills: what was settled before it began is forgotten. */
  accept(found: ClaimedLane, asked: number, number: number): void {
    this.#lookedMs = monotonicMs()
    // What was known before does not count if somebody had it forgotten: a new address is a new receiver.
    if (!this.claimed || this.epoch !== found.epoch) this.#resume(found.health)
    this.epoch = found.epoch
    this.claimed = true
    this.settings = found.settings
    this.#window = Math.min(this.#window, found.settings.maxInFlight)
    this.more = found.due.length >= asked
    this.nextDueAt = found.nextDueAt
    for (const [uuid, lastBlind] of this.#settled) if (lastBlind < number) this.#settled.delete(uuid)
    for (const delivery of found.due) this.#enqueue(delivery)
    // It was told to rest while this was read.
    if (this.restSeconds !== null) this.dropQueue()
  }

  #enqueue(delivery: DueDelivery): void {
    const { uuid } = delivery
    if (this.unsettled.has(uuid) || this.#settled.has(uuid)) return
    // Somebody may have changed it since: what was read last is what holds.
    if (this.#queued.has(uuid)) {
      this.#queue = this.#queue.map((queued) => (queued.uuid === uuid ? delivery : queued))
      return
    }
    this.#queue.push(delivery)
    this.#queued.add(uuid)
  }

  /** There is nothing to send, or no leave to: it rests, or it is disabled. */
  acceptNothing(nextDueAt: Date | null): void {
    this.#lookedMs = monotonicMs()
    this.more = false
    this.nextDueAt = nextDueAt
    this.dropQueue()
  }

  /** Those that wait stay in the database. */
  dropQueue(): void {
    this.#queue = []
    this.#queued.clear()
    this.more = false
  }

  /** Takes nothing more; what waits is somebody else's. */
  leave(): void {
    this.dropQueue()
    this.dirty = false
  }

  /** Leaves the receiver alone for a while. */
  rest(seconds: number): void {
    this.restSeconds = Math.max(this.restSeconds ?? 0, seconds)
    this.dropQueue()
  }

  /** What was to be written about it was not. */
  notWritten(): void {
    this.#written = ''
    if (this.releasing) Object.assign(this, { releasing: false, claimed: true })
  }

  settle(uuid: string, lastRefill: number): void {
    this.unsettled.delete(uuid)
    this.#settled.set(uuid, lastRefill)
  }

  /** Learns from an attempt. `tries` are those of its round, this one among them. */
  note(seen: {
    readonly outcome: Outcome
    readonly status: number | null
    readonly tries: number
    readonly wasProbe: boolean
    readonly restSeconds: number | null
    readonly now: Date
    readonly nowMs: number
  }): void {
    const { outcome, status, nowMs } = seen
    const wasOpen = this.open
    this.#window = windowAfter(this.#window, outcome, this.settings?.maxInFlight ?? 1)
    if (outcome === 'ok') {
      this.#breaker = afterSuccess(this.#breaker, nowMs)
      if (wasOpen) this.#window = 1
      this.#failingSinceAt = null
      this.#failedDeliveries = 0
      // Behind the probe others wait. A rest that the receiver asked for it keeps.
      if (wasOpen) Object.assign(this, { restSeconds: null, dirty: true })
      if (nowMs - this.#successNotedMs >= noteSuccessEveryMs) this.#succeeded = true
      return
    }
    this.#failingSinceAt ??= seen.now
    if (seen.tries === 1) this.#failedDeliveries += 1
    if (countsForBreaker(outcome, status)) this.#breaker = afterFailure(this.#breaker, nowMs, seen.wasProbe)
    if (this.open) this.rest(this.#breaker.probeWaitSeconds)
    if (seen.restSeconds !== null) this.rest(seen.restSeconds)
  }

  /** What is to be written about the lane, if anything is. */
  changeOf(release: boolean, nowMs: number): LaneChange | null {
    const change = {
      workspaceUuid: this.workspaceUuid,
      endpointUuid: this.endpointUuid,
      health: this.open ? 'open' : this.#failingSinceAt === null ? 'healthy' : 'failing',
      restSeconds: this.restSeconds,
      probeWaitSeconds: this.#breaker.probeWaitSeconds,
      failingSinceAt: this.#failingSinceAt,
      failedDeliveries: this.#failedDeliveries,
      failuresInARow: this.#breaker.inARow,
      epoch: this.epoch,
    } as const
    const text = JSON.stringify(change)
    const succeeded = this.#succeeded
    if (text === this.#written && !succeeded && !release) return null
    this.#written = text
    if (succeeded) this.#successNotedMs = nowMs
    this.#succeeded = false
    return { ...change, succeeded, release }
  }

  #resume(health: LaneHealth): void {
    this.#breaker = resumeBreaker({
      open: health.open,
      probeWaitSeconds: health.probeWaitSeconds,
      inARow: health.failuresInARow,
    })
    this.#failingSinceAt = health.failingSinceAt
    this.#failedDeliveries = health.failedDeliveries
    this.#warnings = health.warnings
    this.restSeconds = null
    this.#written = ''
  }
}
