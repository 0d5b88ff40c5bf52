/**
 * Serves webhook endpoints from this process.
 *
 *   serve ──mark──▶ refills ──due rows──▶ lane ──▶ attempt ──▶ outbox ──results──▶ Postgres
 *                      ▲                                          │
 *                      └──────────── while there is more ─────────┘
 *
 * A lane is an endpoint that is being served; the process holds its lease, so what is under way, how fast,
 * and whether the receiver is well is known in one memory. What waits is in Postgres: a process that dies
 * loses nothing, and one that takes over finds it all.
 */
import type { Deps } from '../../../deps.ts'
import { drawChance } from '../../../kernel/backoff.ts'
import { addSeconds, machineTime, monotonicMs } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
import { orAfter } from '../../../platform/engine/nap.ts'
import type { Rings } from '../../../platform/engine/rings.ts'
import type { Log } from '../../../platform/log.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import type { AttemptTrigger } from '../delivery.ts'
import { nextOf, restOf } from '../outcome.ts'
import { nextTurn } from '../pace.ts'
import { type SlotLimits, Slots, slotKindOf } from '../slots.ts'
import type { DueDelivery, Refill } from '../store/lanes.ts'
import type { Result } from '../store/results.ts'
import { attempt, type Concluded, resultBase } from './attempt.ts'
import { concernOf, giveUp, partWith, tellOf, tellOfRecovery } from './endings.ts'
import { Lane } from './lane.ts'
import { letGoOf, renewAll } from './leases.ts'
import { Outbox, type Written } from './outbox.ts'
import { Refills } from './refills.ts'
import { tryOnce } from './trial.ts'
import { Turns } from './turns.ts'

export const deliverWork = 'webhook_endpoint.deliver'

const renewEveryMs = 5_000
/** For what is under way when the process is asked to stop; what is not finished is sent again. */
const stopPatienceMs = 15_000
/** A fault of ours is nobody's attempt. */
const oursAgainSeconds = 10
/** Of a lane that somebody is changing at this moment. */
const busyAgainMs = 20

export type CourierOptions = {
  readonly deps: Deps
  readonly log: Log
  readonly metrics: Metrics
  readonly rings: Rings<'webhook_endpoint'>
  readonly slots?: SlotLimits
}

export class Courier {
  readonly #options: CourierOptions
  readonly #me: string
  readonly #lanes = new Map<string, Lane>()
  readonly #ready = new Set<Lane>()
  readonly #slots: Slots
  readonly #refills: Refills
  readonly #outbox: Outbox
  readonly #rarely = new Set<Promise<void>>()
  readonly #turns = new Turns()
  #renewing: NodeJS.Timeout | null = null
  #draining = false

  constructor(options: CourierOptions) {
    const { deps, rings, slots, log } = options
    this.#options = options
    this.#me = rings.me
    this.#slots = new Slots(slots)
    const onError = (error: unknown) => log.warn('Webhooks wait for the database.', { error })
    this.#refills = new Refills({
      deps,
      owner: this.#me,
      onRefilled: (lane, found) => this.#refilled(lane, found),
      onError,
      onUnsigned: ({ ref: { id } }, error) =>
        log.error('The secrets of a webhook endpoint do not open. It rests.', { error, id }),
    })
    this.#outbox = new Outbox({
      deps,
      owner: this.#me,
      onWritten: (written) => this.#written(written),
      onError,
      onRefused: ({ lane, result: { attempt: made } }, error) => {
        const id = lane.ref.id
        log.error('The result of a webhook could not be written.', { error, id })
        if (made === null) lane.rest(oursAgainSeconds)
      },
    })
  }

  /** Settles when nothing is due any more; at once if it is being served already, here or elsewhere. */
  async serve(ref: Ref<'webhook_endpoint'>): Promise<void> {
    if (this.#draining) return
    this.#start()
    const key = Lane.keyOf(ref)
    const known = this.#lanes.get(key)
    if (known !== undefined) {
      known.dirty = true
      this.#look(known)
      return
    }
    const lane = new Lane(ref)
    lane.lastTurnMs = this.#turns.lastOf(lane.endpointUuid)
    this.#lanes.set(key, lane)
    const ended = lane.ended()
    this.#look(lane)
    return ended
  }

  tryOnce(ref: Ref<'delivery'>): Promise<void> {
    return tryOnce(this.#options.deps, this.#me, ref)
  }

  /** Takes nothing more. What is under way ends, and others go on with the rest. */
  drain(): void {
    this.#draining = true
    this.#refills.stop()
    for (const lane of this.#lanes.values()) this.#endIfIdle(lane)
  }

  /** Finishes what is under way and lets go of every lane; others go on from there. */
  async stop(): Promise<void> {
    this.drain()
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#options.rings.stop()
    const lanes = [...this.#lanes.values()]
    const finished = Promise.all(lanes.map((lane) => (lane.idle ? undefined : lane.ended())))
    await orAfter(
      stopPatienceMs,
      finished.then(() => this.#finish()),
      undefined,
    )
    await orAfter(stopPatienceMs, this.#letGo(lanes), undefined)
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#rarely)
    await this.#outbox.flush()
  }

  async #letGo(lanes: readonly Lane[]): Promise<void> {
    const { deps } = this.#options
    if (lanes.length === 0) return
    await letGoOf({ ...this.#options, me: this.#me }, lanes)
    const at = machineTime()
    deps.publish(
      lanes.map(({ ref }) => ({ work: deliverWork, ref, at })),
      at,
    )
  }

  #start(): void {
    if (this.#renewing !== null) return
    const holder = { ...this.#options, me: this.#me }
    this.#renewing = setInterval(() => void renewAll(holder, [...this.#lanes.values()]), renewEveryMs)
    this.#renewing.unref()
    this.#options.rings.listen((ref) => void this.serve(ref))
  }

  #look(lane: Lane): void {
    if (lane.wantsRefill) this.#refills.mark(lane)
  }

  #lookOrEnd(lane: Lane): void {
    this.#look(lane)
    this.#endIfIdle(lane)
  }

  /** `found` is null if it could not be looked, and will be again. */
  #refilled(lane: Lane, found: Refill | null): void {
    if (found?.is === 'elsewhere') {
      // Whoever serves it may have looked just before this became due.
      this.#options.rings.ring(found.owner, lane.ref)
      lane.claimed = false
      lane.acceptNothing(null)
    } else if (found?.is === 'busy') {
      lane.dirty = true
      setTimeout(() => this.#lookOrEnd(lane), busyAgainMs)
      return
    } else if (found?.is === 'nothing') {
      lane.acceptNothing(found.nextDueAt)
    }
    if (this.#draining) lane.leave()
    this.#ready.add(lane)
    this.#pump()
    // It may have been rung while it was looked.
    this.#lookOrEnd(lane)
  }

  /** One of each lane in turn, as long as there is room. */
  #pump(): void {
    let sent = true
    while (sent && !this.#slots.full) {
      sent = false
      for (const lane of this.#ready) {
        if (this.#sendNext(lane)) sent = true
        else if (!lane.ready) this.#ready.delete(lane)
      }
    }
  }

  #sendNext(lane: Lane): boolean {
    const { next, settings } = lane
    if (!lane.ready || next === undefined || settings === null) return false
    const nowMs = monotonicMs()
    const turnMs = nextTurn(lane.lastTurnMs, settings.rateLimit, nowMs)
    if (turnMs > nowMs) {
      this.#waitForTurn(lane, turnMs - nowMs)
      return false
    }
    const kind = slotKindOf(next.tries)
    if (!this.#slots.take(kind, lane.workspaceUuid, () => this.#othersWait(lane))) return false
    lane.lastTurnMs = turnMs
    const delivery = lane.take()
    this.#look(lane)
    this.#send(lane, delivery)
      .catch((error) => {
        this.#options.log.error('A webhook could not be sent.', { error, id: lane.ref.id })
        lane.unsettled.delete(delivery.uuid)
        lane.rest(oursAgainSeconds)
      })
      .finally(() => {
        lane.underWay -= 1
        this.#slots.give(kind, lane.workspaceUuid)
        this.#options.metrics.deliveriesUnderWay.set(this.#slots.inUse)
        this.#ready.add(lane)
        this.#pump()
        this.#endIfIdle(lane)
      })
    return true
  }

  #othersWait(lane: Lane): boolean {
    return [...this.#ready].some((other) => other.ready && other.workspaceUuid !== lane.workspaceUuid)
  }

  #waitForTurn(lane: Lane, ms: number): void {
    this.#ready.delete(lane)
    setTimeout(() => {
      this.#ready.add(lane)
      this.#pump()
    }, ms)
  }

  async #send(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { deps, metrics } = this.#options
    const { settings, mode, endpointUuid, secrets, open, epoch } = lane
    if (settings === null) return
    const startedAt = machineTime()
    const [now, nowMs] = [this.#time(), monotonicMs()]
    crashpoint('post.begun')
    if (delivery.attempts === 0)
      metrics.deliveryDelay.observe((startedAt.getTime() - delivery.event.createdAt.getTime()) / 1000)
    const trigger: AttemptTrigger = open ? 'probe' : delivery.trigger
    const errand = {
      mode,
      endpointUuid,
      settings,
      secrets,
      delivery,
      trigger,
      startedAt,
      now,
      worker: this.#me,
    }
    const attempted = await attempt(deps.outbound, errand)
    crashpoint('post.answered')
    metrics.deliveryAttempts.inc({ outcome: attempted.outcome ?? 'ours' })
    this.#conclude(lane, delivery, { ...attempted, wasProbe: open, epoch, nowMs })
  }

  #conclude(lane: Lane, delivery: DueDelivery, attempted: Concluded): void {
    const { outcome, status, retryAfter, wasProbe, epoch, nowMs } = attempted
    const base = resultBase(lane, delivery)
    if (outcome === null) {
      this.#outbox.add({ lane, result: { ...base, waitSeconds: oursAgainSeconds } })
      return
    }
    const tries = delivery.tries + 1
    const now = this.#time()
    const restSeconds = restOf(outcome, retryAfter, now)
    const hadWarnings = lane.warnings > 0
    // What is learned of a receiver that was replaced meanwhile, or mended, is not held against it.
    if (lane.epoch === epoch) lane.note({ outcome, status, tries, wasProbe, restSeconds, now, nowMs })
    const next = nextOf({ outcome, mode: lane.mode, tries, restSeconds, random: drawChance() })
    const result = { ...base, tries, attempts: delivery.attempts + 1, attempt: attempted.attempt }
    const end = { owner: this.#me, eventType: delivery.event.type, epoch }
    if (next.is === 'delivered') this.#outbox.add({ lane, result: { ...result, state: 'delivered' } })
    else if (next.is === 'again') this.#again(lane, { ...result, waitSeconds: next.waitSeconds })
    else if (next.is === 'gone') this.#end(lane, partWith, { ...end, result: { ...result, state: 'held' } })
    else this.#end(lane, giveUp, { ...end, result: { ...result, state: 'exhausted' } })
    if (outcome === 'ok' && hadWarnings) this.#tellRecovery(lane)
    if (outcome !== 'ok') this.#tellConcern(lane)
  }

  #again(lane: Lane, result: Result & { readonly waitSeconds: number }): void {
    const dueAt = addSeconds(this.#time(), result.waitSeconds)
    if (lane.nextDueAt === null || dueAt < lane.nextDueAt) lane.nextDueAt = dueAt
    this.#outbox.add({ lane, result })
  }

  /** If it fails, the delivery is still due, and will be tried again. */
  #end(lane: Lane, how: typeof giveUp, end: Parameters<typeof giveUp>[2]): void {
    if (how === partWith) lane.dropQueue()
    this.#rare('A webhook could not be given up.', lane, async () => {
      try {
        await how(this.#options.deps, lane, end)
        if (how === giveUp) this.#options.metrics.deliveriesExhausted.inc({ mode: lane.mode })
      } finally {
        lane.settle(end.result.deliveryUuid, this.#refills.count)
        this.#outbox.addLane(lane)
      }
    })
  }

  #tellConcern(lane: Lane): void {
    const concern = concernOf(lane.failure, lane.warnings, this.#time())
    if (concern === null) return
    this.#tell('A failing webhook endpoint could not be told of.', lane, {
      level: concern.is === 'warn' ? concern.level : lane.warnings,
      what: () => tellOf(this.#options.deps, lane, concern),
    })
  }

  #tellRecovery(lane: Lane): void {
    this.#tell('A recovered webhook endpoint could not be told of.', lane, {
      level: 0,
      what: () => tellOfRecovery(this.#options.deps, lane),
    })
  }

  /** What was not told is told after the next attempt. */
  #tell(message: string, lane: Lane, { level, what }: { level: number; what: () => Promise<void> }): void {
    const before = lane.warnings
    lane.warned(level)
    this.#rare(message, lane, () =>
      what().catch((error) => {
        if (lane.warnings === level) lane.warned(before)
        throw error
      }),
    )
  }

  #rare(message: string, lane: Lane, what: () => Promise<void>): void {
    lane.telling += 1
    const running = what()
      .catch((error) => this.#options.log.error(message, { error, id: lane.ref.id }))
      .finally(() => {
        this.#rarely.delete(running)
        lane.telling -= 1
        this.#endIfIdle(lane)
      })
    this.#rarely.add(running)
  }

  #written({ items, lanes, skipped }: Written): void {
    for (const { lane, result } of items) {
      lane.settle(result.deliveryUuid, this.#refills.count)
      // The next one of the same object may go now.
      if (result.ahead !== null && lane.restSeconds === null) lane.dirty = true
    }
    for (const lane of lanes) {
      if (skipped.has(lane)) setTimeout(() => this.#lookOrEnd(lane), busyAgainMs)
      else this.#lookOrEnd(lane)
    }
  }

  #endIfIdle(lane: Lane): void {
    if (this.#draining) lane.leave()
    if (!lane.idle || lane.releasing) return
    if (lane.claimed) {
      // The lease is given back with the next results, or alone if there are none.
      this.#outbox.addLane(lane)
      return
    }
    this.#ready.delete(lane)
    const key = Lane.keyOf(lane.ref)
    if (this.#lanes.get(key) !== lane) return
    this.#lanes.delete(key)
    this.#turns.remember(lane.endpointUuid, lane.lastTurnMs, monotonicMs())
    this.#setTimer(lane)
    lane.end()
  }

  #setTimer(lane: Lane): void {
    const now = this.#time()
    const restUntil = lane.restSeconds === null ? null : addSeconds(now, lane.restSeconds)
    // One that was rung while it rested may have been let off; and what is left here, others may take.
    const at = lane.dirty || this.#draining ? now : (restUntil ?? lane.nextDueAt)
    if (at !== null) this.#options.deps.publish([{ work: deliverWork, ref: lane.ref, at }], now)
  }

  #time(): Date {
    const reading = this.#options.deps.clock.read()
    return reading.from === 'harness' ? reading.at : machineTime()
  }
}
