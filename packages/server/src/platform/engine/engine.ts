/**
 * Overview of the engine. Every process connects, and publishes after its commits. Workers also consume: one
 * consumer per work type requests ids and handles them. All workers are candidates for reconciling; one per
 * shard is elected. It creates streams and consumers, publishes work that is due and not in the stream, runs
 * the maintenance jobs, and handles due work itself while NATS is unavailable or not configured.
 *
 *   transact ──publish──▶ stream WORK ──pull──▶ consume ──▶ handle
 *                              ▲                               │ commit
 *      Postgres ──due──▶ reconcile ◀───────────────────────────┘ what is still due
 */
import { assert } from '../../kernel/assert.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Announcements, createAnnouncements } from './announce.ts'
import type { EngineDeps } from './attempt.ts'
import { withBatching } from './batch-work.ts'
import { type Connection, openConnection } from './connection.ts'
import { startConsumer } from './consume.ts'
import { createMaintenance } from './maintenance.ts'
import { createPublisher, type Publisher } from './publish.ts'
import { Reconciler, type ReconcilerSettings, reconcilerDefaults } from './reconcile.ts'
import type { Hint, WorkType } from './work.ts'

/** What a process needs to publish. API processes need nothing else. */
export type Engine = {
  readonly connection: Connection
  readonly publisher: Publisher
  readonly announcements: Announcements
  /** Called for every lost hint. */
  readonly lossListeners: Set<() => void>
  publish(hints: readonly Hint[], now: Date): void
  /** Milliseconds that NATS has been unavailable; 0 while connected. */
  unavailableForMs(): number
  /** Flushes pending messages and disconnects. Stop workers first. */
  close(): Promise<void>
}

export type EngineOptions = {
  /** Null: there is no engine, and the reconciler does all work. */
  readonly natsUrl: string | null
  readonly log: Log
  readonly metrics: Metrics
}

/** Returns immediately, even while NATS is unavailable. */
export function connectEngine({ natsUrl, log, metrics }: EngineOptions): Engine {
  const connection = openConnection({ url: natsUrl, log, metrics })
  const lossListeners = new Set<() => void>()
  const onLost = () => {
    for (const listener of lossListeners) listener()
  }
  const publisher = createPublisher({ connection, metrics, onLost })
  return {
    connection,
    publisher,
    announcements: createAnnouncements(connection),
    lossListeners,
    publish: publisher.publish,
    unavailableForMs: () => connection.unavailableForMs(),
    close: () => connection.close(),
  }
}

export type WorkerSettings = ReconcilerSettings & {
  /** How many work items of one type this process handles concurrently. */
  readonly concurrencyPerWork: number
  /** How long `stop` waits for running handlers. */
  readonly stopTimeoutMs: number
}

export const workerDefaults: WorkerSettings = {
  ...reconcilerDefaults,
  concurrencyPerWork: 16,
  stopTimeoutMs: 25_000,
}

export type WorkersOptions<Deps extends EngineDeps> = {
  readonly deps: Deps
  readonly workTypes: readonly WorkType<Deps>[]
  readonly databaseUrl: string
  readonly log: Log
  readonly metrics: Metrics
  readonly settings?: Partial<WorkerSettings>
  /** Additional checks for the process that reconciles. */
  readonly backlog?: LeaderTask
}

/** A periodic task of the process that reconciles. */
export type LeaderTask = {
  /** Starts the task if it is due. Returns immediately. */
  runIfDue(): void
  /** Call this when another process may take over. */
  resetMetrics(): void
  stop(): Promise<void>
}

export type Workers = { stop(): Promise<void> }

export function startWorkers<Deps extends EngineDeps>(
  engine: Engine,
  options: WorkersOptions<Deps>,
): Workers {
  const { deps, databaseUrl, log, metrics } = options
  const workTypes = options.workTypes.map(withBatching)
  const settings = { ...workerDefaults, ...options.settings }
  const [shard, ...others] = deps.databases.shards
  assert(
    shard !== undefined && others.length === 0,
    'A second shard needs a stream of its own: see streams.ts.',
  )
  assertNames(workTypes)

  const { connection, publisher } = engine
  const context = { deps, log, metrics }
  const maintenance = createMaintenance({ shard, databaseUrl, log, metrics })
  const onPass = () => {
    maintenance.runIfDue()
    options.backlog?.runIfDue()
  }
  const onResign = () => {
    maintenance.resetMetrics()
    options.backlog?.resetMetrics()
  }
  const reconciler = new Reconciler({
    shard,
    context,
    connection,
    publisher,
    workTypes,
    settings,
    onPass,
    onResign,
  })
  reconciler.start()
  const onLost = () => reconciler.runSoon()
  engine.lossListeners.add(onLost)
  const { concurrencyPerWork, ackWaitMs } = settings
  const consumers = connection.configured
    ? workTypes.map((work) => {
        const concurrency = work.concurrency ?? concurrencyPerWork
        return startConsumer({ context, connection, work, concurrency, ackWaitMs, onLost })
      })
    : []
  return {
    async stop() {
      engine.lossListeners.delete(onLost)
      const stopped = [reconciler, ...consumers].map((part) => part.stop(settings.stopTimeoutMs))
      await Promise.all(stopped)
      await Promise.all([maintenance.stop(), options.backlog?.stop()])
    },
  }
}

/** A name becomes two tokens of a subject, and the consumer filters by them. */
function assertNames(workTypes: readonly WorkType<never>[]): void {
  const names = workTypes.map(({ name }) => name)
  const invalid = names.find((name) => !/^[a-z_]+\.[a-z_]+$/.test(name))
  assert(invalid === undefined, `A work type must be named <object>.<verb>, unlike ${invalid}.`)
  assert(new Set(names).size === names.length, `Two work types have the same name: ${names.join(', ')}.`)
}
