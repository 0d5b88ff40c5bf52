/**
 * The health of accounts in the memory of this process. The process counts the results of its own calls, and
 * writes changes of circuit breakers to PostgreSQL, from where every process reads them once per second, from each shard
 * independently. Routing therefore needs no database query, and its data is at most about a second old, with or without NATS.
 */
import type { Deps, Health } from '../../../../deps.ts'
import { machineTime, monotonicMs } from '../../../../kernel/clock.ts'
import { type Id, type Mode, modeOf, type Ref } from '../../../../kernel/id.ts'
import { type Batches, createBatchesBy } from '../../../../platform/batches.ts'
import type { Shard } from '../../../../platform/db/databases.ts'
import { isNotWritten } from '../../../../platform/db/retries.ts'
import type { Metrics } from '../../../../platform/metrics.ts'
import { type Repetition, repeat } from '../../../../platform/repeat.ts'
import { addResult, probeSeconds, type RecentResults, type Signal, shouldTrip } from '../breaker.ts'
import {
  countResult,
  countsAgainstAccount,
  type Lane,
  laneOf,
  lanes,
  noCounts,
  type Result,
  resultOf,
} from '../health.ts'
import { addMinutes, listUnhealthyLanes, type Minute, type UnhealthyLane } from '../store/health.ts'
import { emitCredentialsRefused, recordAcceptedCredentials, signalBreaker } from './breaker.ts'

type Account = Ref<'provider_account'>

const refreshEveryMs = 1_000
const modes: readonly Mode[] = ['live', 'test']
/** More unhealthy lanes than this indicate a bug. */
const maxUnhealthyLanes = 10_000
/** A healthy lane without results for this time is removed from memory. */
const dropAfterMs = 60_000
/** How often a process writes results for an account that is being probed. */
const writeEveryMs = 1_000
const reportRefusalEveryMs = 60_000

/** A result with the minute in which it is counted. */
type CountedResult = Omit<Minute, 'counts'> & { readonly result: Result; readonly tookMs: number | null }

/** The state of one lane of an account in this process. All times are in `monotonicMs`. */
type LaneState = {
  /** The shard of the workspace. The breakers of other shards do not concern this lane. */
  shard: string
  recent: RecentResults
  /** The end of the open period, after which the account is probed; null: closed. */
  openUntilMs: number | null
  /** When this process last wrote the breaker: a read that started earlier is outdated. */
  changedMs: number
  nextProbeMs: number
  lastResultMs: number
  lastWriteMs: number
  isWriting: boolean
  /** When this process last reported rejected credentials. */
  refusalReportedMs: number
  /** Whether the provider rejects our credentials, as far as this process knows. */
  isRefused: boolean
}

export type MonitorOptions = {
  readonly deps: Deps
  readonly metrics: Metrics
  /** The number of running processes, which share the probes. */
  readonly processes: () => number
}

export class HealthMonitor implements Health {
  readonly #options: MonitorOptions
  readonly #lanes = new Map<string, LaneState>()
  readonly #minutes: Batches<CountedResult>
  readonly #writing = new Set<Promise<void>>()
  /** The unhealthy lanes of each shard, when they were last read. */
  readonly #unhealthy = new Map<string, readonly UnhealthyLane[]>()
  #refreshing: readonly Repetition[] = []

  constructor(options: MonitorOptions) {
    const { deps } = options
    this.#options = options
    this.#minutes = createBatchesBy((result) => deps.databases.of(result.workspaceId).name, {
      size: 1_000,
      afterMs: 2_000,
      maxWaiting: 50_000,
      write: (results: readonly CountedResult[]) => writeMinutes(deps, results),
      // Writing counts twice would add them twice, so a batch whose commit is uncertain is not repeated.
      isTemporary: isNotWritten,
      keepMs: 30_000,
      onLoss: (count, error) =>
        deps.log.warn('Health figures of provider accounts could not be stored and were lost.', {
          count,
          error,
        }),
    })
  }

  /** Starts reading the breakers that other processes wrote. */
  start(): void {
    const { log, databases } = this.#options.deps
    if (this.#refreshing.length > 0) return
    // A shard that does not respond must not delay the breakers of the others.
    this.#refreshing = databases.shards.map((shard) =>
      repeat({
        everyMs: refreshEveryMs,
        run: () => this.#refreshShard(shard),
        onError: (error) =>
          log.warn('Circuit breakers of provider accounts could not be read.', { shard: shard.name, error }),
      }),
    )
  }

  async stop(): Promise<void> {
    await Promise.all(this.#refreshing.map((refreshing) => refreshing.stop()))
    await Promise.allSettled(this.#writing)
    await this.#minutes.stop()
  }

  /** Writes the counts, and waits for breaker changes in progress. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#writing)
    await this.#minutes.flush()
  }

  recordResult: Health['recordResult'] = (account, { kind, observed, tookMs }) => {
    const result = resultOf(observed)
    if (result === null) return
    const lane = laneOf(kind)
    this.#countResult(account, lane, result, tookMs)
    this.#evaluate(account, lane, result)
  }

  isOpen: Health['isOpen'] = (id, lane) => (this.#lanes.get(keyOf(id, lane))?.openUntilMs ?? null) !== null

  shouldProbe: Health['shouldProbe'] = (id, lane) => {
    const state = this.#lanes.get(keyOf(id, lane))
    const nowMs = monotonicMs()
    if (state === undefined || state.openUntilMs === null) return false
    return nowMs >= state.openUntilMs && nowMs >= state.nextProbeMs
  }

  recordProbeStart: Health['recordProbeStart'] = (id, lane) => {
    const state = this.#lanes.get(keyOf(id, lane))
    if (state === undefined) return
    state.nextProbeMs = monotonicMs() + probeSeconds * 1000 * this.#options.processes()
  }

  /** Reads the lanes with an open breaker or rejected credentials. */
  async refresh(): Promise<void> {
    await Promise.all(this.#options.deps.databases.shards.map((shard) => this.#refreshShard(shard)))
  }

  async #refreshShard(shard: Shard): Promise<void> {
    const { clock } = this.#options.deps
    const startedMs = monotonicMs()
    const unhealthyLanes = await shard.as('switchyard_due', (db) =>
      listUnhealthyLanes(db, clock.read(), maxUnhealthyLanes),
    )
    this.#unhealthy.set(shard.name, unhealthyLanes)
    this.#apply(shard.name, unhealthyLanes, startedMs)
    this.#updateMetrics()
  }

  #apply(shard: string, unhealthyLanes: readonly UnhealthyLane[], startedMs: number): void {
    const unhealthy = new Map(unhealthyLanes.map((lane) => [keyOf(lane.accountId, lane.lane), lane]))
    for (const key of unhealthy.keys()) this.#laneState(key, shard)
    const nowMs = monotonicMs()
    for (const [key, state] of this.#lanes) {
      const lane = unhealthy.get(key)
      if (state.shard !== shard || state.changedMs > startedMs) continue
      state.isRefused = lane?.isRefused ?? false
      setOpen(state, lane?.opensForMs ?? null, startedMs)
      if (lane === undefined && nowMs - state.lastResultMs > dropAfterMs) this.#lanes.delete(key)
    }
  }

  #updateMetrics(): void {
    const { providerBreakersOpen, providerCredentialsRefused } = this.#options.metrics
    // A workspace that is being moved has rows on two shards.
    const byKey = new Map(
      [...this.#unhealthy.values()].flat().map((lane) => [keyOf(lane.accountId, lane.lane), lane]),
    )
    const unhealthyLanes = [...byKey.values()]
    for (const mode of modes) {
      const ofMode = unhealthyLanes.filter((lane) => modeOf(lane.accountId) === mode)
      for (const lane of lanes) {
        const count = ofMode.filter((entry) => entry.lane === lane && entry.opensForMs !== null).length
        providerBreakersOpen.set({ mode, lane }, count)
      }
      const refused = ofMode.filter((lane) => lane.isRefused).map(({ accountId }) => accountId)
      providerCredentialsRefused.set({ mode }, new Set(refused).size)
    }
  }

  #countResult(
    { workspaceId, id: accountId }: Account,
    lane: Lane,
    result: Result,
    tookMs: number | null,
  ): void {
    const { metrics, deps } = this.#options
    const mode = modeOf(accountId)
    metrics.providerResults.inc({ mode, lane, result })
    if (tookMs !== null) metrics.providerSeconds.observe({ mode, lane }, tookMs / 1000)
    const reading = deps.clock.read()
    const now = reading.from === 'harness' ? reading.at : machineTime()
    const at = new Date(Math.floor(now.getTime() / 60_000) * 60_000)
    this.#minutes.add({ workspaceId, accountId, lane, at, result, tookMs })
  }

  #evaluate(account: Account, lane: Lane, result: Result): void {
    const state = this.#stateOf(account, lane)
    const nowMs = monotonicMs()
    state.lastResultMs = nowMs
    this.#evaluateCredentials(account, lane, result)
    if (state.openUntilMs === null) {
      state.recent = addResult(state.recent, nowMs, countsAgainstAccount(result))
      if (shouldTrip(state.recent)) this.#signal(account, lane, 'tripped')
    } else if (nowMs >= state.openUntilMs && nowMs - state.lastWriteMs >= writeEveryMs) {
      this.#signal(account, lane, countsAgainstAccount(result) ? 'result_bad' : 'result_good')
    }
  }

  #evaluateCredentials(account: Account, lane: Lane, result: Result): void {
    const state = this.#stateOf(account, lane)
    const { deps } = this.#options
    if (result === 'refused_us') {
      state.isRefused = true
      if (monotonicMs() - state.refusalReportedMs < reportRefusalEveryMs) return
      state.refusalReportedMs = monotonicMs()
      this.#runInBackground(emitCredentialsRefused(deps, account, lane))
    } else if (state.isRefused && !countsAgainstAccount(result)) {
      state.isRefused = false
      state.refusalReportedMs = never
      this.#runInBackground(recordAcceptedCredentials(deps, account))
    }
  }

  /**
   * Writes one signal at a time for each lane. Signals during a write are dropped, because they will recur.
   */
  #signal(account: Account, lane: Lane, signal: Signal): void {
    const { deps } = this.#options
    const state = this.#stateOf(account, lane)
    if (state.isWriting) return
    state.isWriting = true
    const written = signalBreaker(deps, account, lane, signal)
      .then(({ opensForMs }) => {
        state.changedMs = monotonicMs()
        if (opensForMs === null) close(state)
        else state.openUntilMs = state.changedMs + opensForMs
      })
      .finally(() => {
        state.isWriting = false
        state.lastWriteMs = monotonicMs()
      })
    this.#runInBackground(written)
  }

  #runInBackground(work: Promise<void>): void {
    this.#writing.add(work)
    this.#options.deps.runInBackground(work.finally(() => this.#writing.delete(work)))
  }

  #stateOf({ workspaceId, id }: Account, lane: Lane): LaneState {
    return this.#laneState(keyOf(id, lane), this.#options.deps.databases.of(workspaceId).name)
  }

  #laneState(key: string, shard: string): LaneState {
    const state = this.#lanes.get(key) ?? { ...initialState, shard, lastResultMs: monotonicMs() }
    // The workspace may have been moved.
    state.shard = shard
    this.#lanes.set(key, state)
    return state
  }
}

const never = Number.NEGATIVE_INFINITY
const initialState: Omit<LaneState, 'shard' | 'lastResultMs'> = {
  recent: [],
  openUntilMs: null,
  isWriting: false,
  isRefused: false,
  changedMs: never,
  nextProbeMs: never,
  lastWriteMs: never,
  refusalReportedMs: never,
}

function setOpen(state: LaneState, opensForMs: number | null, startedMs: number): void {
  if (opensForMs !== null) state.openUntilMs = startedMs + opensForMs
  else if (state.openUntilMs !== null) close(state)
}

/** Clears the results from before the breaker opened, so that they do not open it again. */
function close(state: LaneState): void {
  state.openUntilMs = null
  state.recent = []
}

function keyOf(id: Id<'provider_account'>, lane: Lane): string {
  return `${id} ${lane}`
}

/** One statement per shard: figures are stored on the shard of their workspace. */
async function writeMinutes({ databases }: Deps, results: readonly CountedResult[]): Promise<void> {
  for (const [shard, batch] of Map.groupBy(results, ({ workspaceId }) => databases.of(workspaceId)))
    await shard.as('switchyard_log', (db) => addMinutes(db, sumByMinute(batch)))
}

function sumByMinute(results: readonly CountedResult[]): readonly Minute[] {
  const minutes = new Map<string, Minute>()
  for (const { result, tookMs, ...minute } of results) {
    const key = `${minute.accountId} ${minute.lane} ${minute.at.getTime()}`
    const { counts } = minutes.get(key) ?? { counts: noCounts }
    minutes.set(key, { ...minute, counts: countResult(counts, result, tookMs) })
  }
  return [...minutes.values()]
}
