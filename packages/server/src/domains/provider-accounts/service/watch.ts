/**
 * How accounts fare, as this process knows it. What it sees itself it counts in memory; when it has seen enough it
 * opens a breaker in Postgres, where every process looks once a second. So whoever asks is answered at once,
 * without a query, and at most about a second late; it works the same with NATS and without.
 */
import type { Deps, Health } from '../../../deps.ts'
import { machineTime, monotonicMs } from '../../../kernel/clock.ts'
import { type Id, type Mode, modeOf, type Ref } from '../../../kernel/id.ts'
import { type Batches, createBatches } from '../../../platform/batches.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { type Repetition, repeat } from '../../../platform/repeat.ts'
import { probeSeconds, type Recent, remember, type Signal, tripsOn } from '../breaker.ts'
import { countResult, isBad, type Lane, laneOf, lanes, noCounts, type Result, resultOf } from '../health.ts'
import { addMinutes, listOpenBreakers, type Minute, type OpenBreaker } from '../store/health.ts'
import { signalBreaker, tellOfRefusal } from './breaker.ts'

type Account = Ref<'provider_account'>

const lookEveryMs = 1_000
const modes: readonly Mode[] = ['live', 'test']
/** More than these cannot be told apart from an error of ours. */
const maxOpen = 10_000
const forgetAfterMs = 60_000
/** How often a process writes what it saw of an account that is being probed. */
const writeEveryMs = 1_000
const refusalEveryMs = 60_000

/** A result, with the minute in which it was seen. */
type Noted = Omit<Minute, 'counts'> & { readonly result: Result; readonly tookMs: number | null }

/** What this process knows of one lane of an account. */
type Known = {
  recent: Recent
  /** Until when it is open, and probed from then on; null: it is closed. By `monotonicMs`, as all of these. */
  openUntilMs: number | null
  /** When this was learned from a commit of our own: an older look knows less. */
  learnedMs: number
  nextProbeMs: number
  seenMs: number
  wroteMs: number
  isWriting: boolean
  refusedMs: number
}

export type WatchOptions = {
  readonly deps: Deps
  readonly metrics: Metrics
  /** How many processes there are, as far as is known: they share the probes. */
  readonly processes: () => number
}

export class HealthWatch implements Health {
  readonly #options: WatchOptions
  readonly #known = new Map<string, Known>()
  readonly #minutes: Batches<Noted>
  readonly #writing = new Set<Promise<void>>()
  #looking: Repetition | null = null

  constructor(options: WatchOptions) {
    const { deps } = options
    this.#options = options
    this.#minutes = createBatches({
      size: 1_000,
      afterMs: 2_000,
      maxWaiting: 50_000,
      write: (noted: readonly Noted[]) => writeMinutes(deps, noted),
      onLoss: (count, error) => deps.log.warn('Figures of provider accounts were lost.', { count, error }),
    })
  }

  /** From now on it knows what other processes found out. */
  start(): void {
    const { log } = this.#options.deps
    this.#looking ??= repeat({
      everyMs: lookEveryMs,
      run: () => this.look(),
      onError: (error) => log.warn('Breakers of provider accounts could not be read.', { error }),
    })
  }

  async stop(): Promise<void> {
    await this.#looking?.stop()
    await this.flush()
  }

  /** Writes what was counted, and waits for what follows from it. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#writing)
    await this.#minutes.flush()
  }

  note: Health['note'] = (account, { kind, learned, tookMs }) => {
    const result = resultOf(learned)
    if (result === null) return
    const lane = laneOf(kind)
    this.#count(account, lane, result, tookMs)
    this.#judge(account, lane, result)
  }

  isOpen: Health['isOpen'] = (id, lane) => (this.#known.get(keyOf(id, lane))?.openUntilMs ?? null) !== null

  mayProbe: Health['mayProbe'] = (id, lane) => {
    const known = this.#known.get(keyOf(id, lane))
    const nowMs = monotonicMs()
    if (known === undefined || known.openUntilMs === null) return false
    return nowMs >= known.openUntilMs && nowMs >= known.nextProbeMs
  }

  began: Health['began'] = (id, lane) => {
    const known = this.#known.get(keyOf(id, lane))
    if (known === undefined) return
    known.nextProbeMs = monotonicMs() + probeSeconds * 1000 * this.#options.processes()
  }

  /** Reads which breakers are open. */
  async look(): Promise<void> {
    const { databases, clock } = this.#options.deps
    const startedMs = monotonicMs()
    const found: OpenBreaker[] = []
    for (const shard of databases.shards)
      found.push(...(await shard.as('switchyard_due', (db) => listOpenBreakers(db, clock.read(), maxOpen))))
    this.#apply(found, startedMs)
  }

  #apply(found: readonly OpenBreaker[], startedMs: number): void {
    const open = new Map(found.map((one) => [keyOf(one.accountId, one.lane), one]))
    for (const key of open.keys()) this.#at(key)
    const nowMs = monotonicMs()
    for (const [key, known] of this.#known) {
      const one = open.get(key)
      if (known.learnedMs > startedMs) continue
      if (one !== undefined) known.openUntilMs = startedMs + one.opensForMs
      else if (known.openUntilMs !== null) close(known)
      else if (nowMs - known.seenMs > forgetAfterMs) this.#known.delete(key)
    }
    this.#tellOf(found)
  }

  #tellOf(open: readonly OpenBreaker[]): void {
    const { providerBreakersOpen } = this.#options.metrics
    for (const lane of lanes)
      for (const mode of modes) {
        const count = open.filter((one) => one.lane === lane && modeOf(one.accountId) === mode).length
        providerBreakersOpen.set({ mode, lane }, count)
      }
  }

  #count({ workspaceId, id: accountId }: Account, lane: Lane, result: Result, tookMs: number | null): void {
    const { metrics, deps } = this.#options
    const mode = modeOf(accountId)
    metrics.providerResults.inc({ mode, lane, result })
    if (tookMs !== null) metrics.providerSeconds.observe({ mode, lane }, tookMs / 1000)
    const reading = deps.clock.read()
    const now = reading.from === 'harness' ? reading.at : machineTime()
    const at = new Date(Math.floor(now.getTime() / 60_000) * 60_000)
    this.#minutes.add({ workspaceId, accountId, lane, at, result, tookMs })
  }

  #judge(account: Account, lane: Lane, result: Result): void {
    const known = this.#at(keyOf(account.id, lane))
    const nowMs = monotonicMs()
    known.seenMs = nowMs
    if (result === 'refused_us' && nowMs - known.refusedMs >= refusalEveryMs) {
      known.refusedMs = nowMs
      this.#later(tellOfRefusal(this.#options.deps, account, lane))
    }
    if (known.openUntilMs === null) {
      known.recent = remember(known.recent, nowMs, isBad(result))
      if (tripsOn(known.recent)) this.#signal(account, lane, 'tripped')
    } else if (nowMs >= known.openUntilMs && nowMs - known.wroteMs >= writeEveryMs) {
      this.#signal(account, lane, isBad(result) ? 'result_bad' : 'result_good')
    }
  }

  /** One at a time for each lane: what is seen meanwhile is seen again. */
  #signal(account: Account, lane: Lane, signal: Signal): void {
    const { deps } = this.#options
    const known = this.#at(keyOf(account.id, lane))
    if (known.isWriting) return
    known.isWriting = true
    const written = signalBreaker(deps, account, lane, signal)
      .then(({ opensForMs }) => {
        known.learnedMs = monotonicMs()
        if (opensForMs === null) close(known)
        else known.openUntilMs = known.learnedMs + opensForMs
      })
      .finally(() => {
        known.isWriting = false
        known.wroteMs = monotonicMs()
      })
    this.#later(written)
  }

  #later(work: Promise<void>): void {
    this.#writing.add(work)
    this.#options.deps.later(work.finally(() => this.#writing.delete(work)))
  }

  #at(key: string): Known {
    const known = this.#known.get(key) ?? { ...unknownYet, seenMs: monotonicMs() }
    this.#known.set(key, known)
    return known
  }
}

const long = Number.NEGATIVE_INFINITY
const unknownYet: Omit<Known, 'seenMs'> = {
  ...{ recent: [], openUntilMs: null, isWriting: false },
  ...{ learnedMs: long, nextProbeMs: long, wroteMs: long, refusedMs: long },
}

/** What was seen before it opened is no reason to open it again. */
function close(known: Known): void {
  known.openUntilMs = null
  known.recent = []
}

function keyOf(id: Id<'provider_account'>, lane: Lane): string {
  return `${id} ${lane}`
}

/** A statement for each shard: figures lie beside what they tell of. */
async function writeMinutes({ databases }: Deps, noted: readonly Noted[]): Promise<void> {
  for (const [shard, batch] of Map.groupBy(noted, ({ workspaceId }) => databases.of(workspaceId)))
    await shard.as('switchyard_log', (db) => addMinutes(db, rolledUp(batch)))
}

function rolledUp(noted: readonly Noted[]): readonly Minute[] {
  const minutes = new Map<string, Minute>()
  for (const { result, tookMs, ...minute } of noted) {
    const key = `${minute.accountId} ${minute.lane} ${minute.at.getTime()}`
    const { counts } = minutes.get(key) ?? { counts: noCounts }
    minutes.set(key, { ...minute, counts: countResult(counts, result, tookMs) })
  }
  return [...minutes.values()]
}
