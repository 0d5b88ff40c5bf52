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
import { machineTime, monotonicMs } from '../../../kernel/clock.ts'
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
import { type DueDelivery, type Refill, releaseLanes, renewLeases } from '../store/lanes.ts'
import type { Result } from '../store/results.ts'
import { type Attempted, attempt } from './attempt.ts'
import { concernOf, giveUp, partWith, tellOf, tellOfRecovery } from './endings.ts'
import { Lane } from './lane.ts'
import { type Item, Outbox } from './outbox.ts'
import { Refills } from './refills.ts'
import { tryOnce } from './trial.ts'

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
  #renewing: NodeJS.Timeout | null = null
  #stopping = false

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
    })
    this.#outbox = new Outbox({
      deps,
      owner: this.#me,
      onWritten: (written) => this.#written(written),
      onError,
    })
  }

  /** Settles when nothing is due any more; at once if it is being served already, here or elsewhere. */
  async serve(ref: Ref<'webhook_endpoint'>): Promise<void> {
    if (this.#stopping) return
    this.#start()
    const known = this.#lanes.get(ref.id)
    if (known !== undefined) {
      known.dirty = true
      this.#look(known)
      return
    }
    const lane = new Lane(ref)
    this.#lanes.set(ref.id, lane)
    const ended = lane.ended()
    this.#look(lane)
    return ended
  }

  tryOnce(ref: Ref<'delivery'>): Promise<void> {
    return tryOnce(this.#options.deps, this.#me, ref)
  }

  /** Finishes what is under way and lets go of every lane; others go on from there. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#options.rings.stop()
    const lanes = [...this.#lanes.values()]
    for (const lane of lanes) lane.dropQueue()
    for (const lane of lanes) Object.assign(lane, { dirty: false, more: false })
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
    const { deps, log } = this.#options
    const [shard] = deps.databases.shards
    if (lanes.length === 0) return
    await shard
      ?.delivering((db) => releaseLanes(db, this.#me, lanes))
      .catch((error) => log.warn('Lanes could not be released. Their leases end soon.', { error }))
    const at = machineTime()
    deps.publish(
      lanes.map(({ ref }) => ({ work: deliverWork, ref, at })),
      at,
    )
  }

  #start(): void {
    if (this.#renewing !== null) return
    this.#renewing = setInterval(() => void this.#renew(), renewEveryMs)
    this.#renewing.unref()
    this.#options.rings.listen((ref) => void this.serve(ref))
  }

  #look(lane: Lane): void {
    if (lane.wantsRefill) this.#refills.mark(lane)
  }

  #refilled(lane: Lane, found: Refill): void {
    if (found.is === 'elsewhere') {
      // Whoever serves it may have looked just before this became due.
      this.#options.rings.ring(found.owner, lane.ref)
      lane.claimed = false
      lane.acceptNothing(null)
    } else if (found.is === 'busy') {
      lane.dirty = true
      this.#refills.mark(lane, busyAgainMs)
    } else if (found.is === 'nothing') {
      lane.acceptNothing(found.nextDueAt)
    }
    if (this.#stopping) lane.dropQueue()
    this.#ready.add(lane)
    this.#pump()
    this.#endIfIdle(lane)
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
      })
      .finally(() => {
        lane.underWay -= 1
        this.#slots.give(kind, lane.workspaceUuid)
        this.#options.metrics.deliveriesUnderWay.set(this.#slots.inUse)
        this.#ready.add(lane)
        this.#pump()
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
    const { settings, mode, endpointUuid, secrets, open } = lane
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
    this.#conclude(lane, delivery, attempted, nowMs)
  }

  #conclude(lane: Lane, delivery: DueDelivery, attempted: Attempted, nowMs: number): void {
    const { outcome, status, retryAfter } = attempted
    const base = resultBase(lane, delivery)
    if (outcome === null) {
      this.#outbox.add({ lane, result: { ...base, waitSeconds: oursAgainSeconds } })
      return
    }
    const tries = delivery.tries + 1
    const now = this.#time()
    const restSeconds = restOf(outcome, retryAfter, now)
    const hadWarnings = lane.warnings > 0
    lane.note({ outcome, status, tries, restSeconds, now, nowMs })
    const next = nextOf({ outcome, mode: lane.mode, tries, restSeconds, random: drawChance() })
    const result = { ...base, tries, attempts: delivery.attempts + 1, attempt: attempted.attempt }
    if (next.is === 'delivered') this.#outbox.add({ lane, result: { ...result, state: 'delivered' } })
    else if (next.is === 'again') this.#again(lane, { ...result, waitSeconds: next.waitSeconds })
    else if (next.is === 'gone') this.#end(lane, delivery, { ...result, state: 'held' }, partWith)
    else this.#end(lane, delivery, { ...result, state: 'exhausted' }, giveUp)
    if (outcome === 'ok' && hadWarnings) this.#tellRecovery(lane)
    if (outcome !== 'ok') this.#tellConcern(lane)
  }

  #again(lane: Lane, result: Result & { readonly waitSeconds: number }): void {
    const dueAt = new Date(this.#time().getTime() + result.waitSeconds * 1000)
    if (lane.nextDueAt === null || dueAt < lane.nextDueAt) lane.nextDueAt = dueAt
    this.#outbox.add({ lane, result })
  }

  /** If it fails, the delivery is still due, and will be tried again. */
  #end(lane: Lane, delivery: DueDelivery, result: Result, how: typeof giveUp): void {
    const end = { owner: this.#me, result, eventType: delivery.event.type }
    if (how === partWith) lane.dropQueue()
    this.#rare('A webhook could not be given up.', lane, async () => {
      try {
        await how(this.#options.deps, lane, end)
      } finally {
        lane.settle(result.deliveryUuid, this.#refills.count)
        this.#outbox.addLane(lane)
      }
    })
  }

  #tellConcern(lane: Lane): void {
    const concern = concernOf(lane.failure, lane.warnings, this.#time())
    if (concern === null) return
    if (concern.is === 'warn') lane.warned(concern.level)
    this.#rare('A failing webhook endpoint could not be told of.', lane, () =>
      tellOf(this.#options.deps, lane, concern),
    )
  }

  #tellRecovery(lane: Lane): void {
    lane.warned(0)
    this.#rare('A recovered webhook endpoint could not be told of.', lane, () =>
      tellOfRecovery(this.#options.deps, lane),
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

  #written({ items, lanes }: { items: readonly Item[]; lanes: ReadonlySet<Lane> }): void {
    for (const { lane, result } of items) lane.settle(result.deliveryUuid, this.#refills.count)
    for (const lane of lanes) {
      // The next one of the same object may go now.
      if (lane.settings?.ordered && lane.restSeconds === null) lane.dirty = true
      this.#look(lane)
      this.#endIfIdle(lane)
    }
  }

  #endIfIdle(lane: Lane): void {
    if (!lane.idle) return
    if (lane.claimed) {
      // The lease is given back with the next results, or alone if there are none.
      this.#outbox.addLane(lane)
      return
    }
    this.#ready.delete(lane)
    if (this.#lanes.get(lane.ref.id) === lane) this.#lanes.delete(lane.ref.id)
    this.#setTimer(lane)
    lane.end()
  }

  #setTimer(lane: Lane): void {
    const now = this.#time()
    const restUntil = lane.restSeconds === null ? null : new Date(now.getTime() + lane.restSeconds * 1000)
    const at = restUntil ?? lane.nextDueAt
    if (at !== null) this.#options.deps.publish([{ work: deliverWork, ref: lane.ref, at }], now)
  }

  async #renew(): Promise<void> {
    const { deps, log } = this.#options
    const mine = [...this.#lanes.values()].filter((lane) => lane.claimed)
    if (mine.length === 0) return
    const [shard] = deps.databases.shards
    const kept = await shard
      ?.delivering((db) => renewLeases(db, this.#me, mine))
      .catch((error) => {
        log.warn('Leases of webhook endpoints could not be renewed.', { error })
        return null
      })
    if (!kept) return
    // Another process thought us dead. What is under way ends; the rest is theirs.
    for (const lane of mine) if (lane.claimed && !kept.has(lane.endpointUuid)) lane.dropQueue()
  }

  #time(): Date {
    const reading = this.#options.deps.clock.read()
    return reading.from === 'harness' ? reading.at : machineTime()
  }
}

function resultBase(lane: Lane, delivery: DueDelivery): Result {
  const { ordered } = lane.settings ?? { ordered: false }
  const { objectUuid, sequence } = delivery
  return {
    workspaceUuid: lane.workspaceUuid,
    deliveryUuid: delivery.uuid,
    version: delivery.version,
    state: 'pending',
    told: false,
    tries: delivery.tries,
    attempts: delivery.attempts,
    waitSeconds: null,
    attempt: null,
    ahead: ordered ? { endpointUuid: lane.endpointUuid, objectUuid, sequence } : null,
  }
}
