/**
 * Overview of the engine. Every process connects, and publishes after its commits. Workers also consume: one
 * consumer per work type requests ids and handles them. All workers are candidates for reconciling; one per
 * shard is elected. Each shard has its own stream, so that shards do not depend on each other. The reconciler
 * creates streams and consumers, publishes work that is due and not in the stream, runs the maintenance jobs,
 * and handles due work itself while NATS is unavailable or not configured.
 *
 *   transact ──publish──▶ stream WORK ──pull──▶ consume ──▶ handle
 *                              ▲                               │ commit
 *      Postgres ──due──▶ reconcile ◀───────────────────────────┘ what is still due
 */
import { assert } from '../../kernel/assert.ts'
import type { Id } from '../../kernel/id.ts'
import type { Databases, Shard } from '../db/databases.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Announcements, createAnnouncements } from './announce.ts'
import type { EngineDeps } from './attempt.ts'
import { withBatching } from './batch-work.ts'
import { type Connection, openConnection } from './connection.ts'
import { startConsumer } from './consume.ts'
import { createMaintenance } from './maintenance.ts'
import { watchFenceAges, watchMoves } from './measure-moves.ts'
import { createPublisher, type Publisher } from './publish.ts'
import { Reconciler, type ReconcilerSettings, reconcilerDefaults } from './reconcile.ts'
import { onlyStream, type Stream, streamOfShard } from './subjects.ts'
import { watchFences } from './watch-fences.ts'
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
  /** Needed if there are several shards: each has its own stream. */
  readonly databases?: Databases
  readonly log: Log
  readonly metrics: Metrics
}

/** Returns immediately, even while NATS is unavailable. */
export function connectEngine({ natsUrl, databases, log, metrics }: EngineOptions): Engine {
  const connection = openConnection({ url: natsUrl, log, metrics })
  const lossListeners = new Set<() => void>()
  const onLost = () => {
    for (const listener of lossListeners) listener()
  }
  const streamOf = (workspaceId: Id<'workspace'>) =>
    databases === undefined ? onlyStream : streamIn(databases, databases.of(workspaceId))
  const publisher = createPublisher({ connection, metrics, streamOf, onLost })
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

/** The stream of the shard. */
export function streamIn({ shards }: Pick<Databases, 'shards'>, { name }: Pick<Shard, 'name'>): Stream {
  return shards.length === 1 ? onlyStream : streamOfShard(name)
}

export type WorkerSettings = ReconcilerSettings & {
  /** How many work items of one type this process handles concurrently for each shard. */
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
  /** The URL of the owner of the tables, for maintenance. */
  readonly ownerUrlOf: (shard: Shard) => string
  readonly log: Log
  readonly metrics: Metrics
  readonly settings?: Partial<WorkerSettings>
  /** Additional tasks of the process that runs the reconciler of the first shard. */
  readonly leaderTasks?: readonly LeaderTask[]
}

/** A periodic task of the process that runs the reconciler. */
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
  const settings = { ...workerDefaults, ...options.settings }
  const workTypes = options.workTypes.map(withBatching)
  assertNames(workTypes)
  const { shards } = options.deps.databases
  const workers = shards.map((shard) =>
    startShardWorkers(engine, { ...options, shard, settings, workTypes, tasks: tasksOf(shard, options) }),
  )
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

/** The tasks of the process that runs the reconciler of the shard. That of the first shard also maintains the control plane. */
function tasksOf<Deps extends EngineDeps>(
  shard: Shard,
  { deps, ownerUrlOf, log, metrics, leaderTasks = [] }: WorkersOptions<Deps>,
): readonly LeaderTask[] {
  const { shards, control } = deps.databases
  const addresses = {
    controlUrl: ownerUrlOf(control),
    shards: shards.map((one) => ({ name: one.name, ownerUrl: ownerUrlOf(one) })),
  }
  const maintain = (database: Shard) =>
    createMaintenance({ shard: database, databaseUrl: ownerUrlOf(database), log, metrics })
  // With one shard, no workspace is moved.
  const canMove = shards.length > 1
  const tools = { log, metrics }
  const tasks = [
    maintain(shard),
    ...(canMove ? [watchFences({ shard, ...addresses, log }), watchFenceAges(shard, tools)] : []),
  ]
  if (shard !== shards[0]) return tasks
  return [
    ...tasks,
    ...(canMove ? [watchMoves(deps.databases, tools)] : []),
    ...(shards.includes(control) ? [] : [maintain(control)]),
    ...leaderTasks,
  ]
}

type ShardWorkersOptions<Deps extends EngineDeps> = WorkersOptions<Deps> & {
  readonly shard: Shard
  readonly settings: WorkerSettings
  readonly tasks: readonly LeaderTask[]
}

function startShardWorkers<Deps extends EngineDeps>(
  { connection, publisher, lossListeners }: Engine,
  { deps, shard, log, metrics, workTypes, settings, tasks }: ShardWorkersOptions<Deps>,
): Workers {
  const context = { deps, log, metrics }
  const stream = streamIn(deps.databases, shard)
  const reconciler = new Reconciler({
    shard,
    stream,
    context,
    connection,
    publisher,
    workTypes,
    settings,
    onPass: () => {
      for (const task of tasks) task.runIfDue()
    },
    onResign: () => {
      for (const task of tasks) task.resetMetrics()
    },
  })
  reconciler.start()
  const onLost = () => reconciler.runSoon()
  lossListeners.add(onLost)
  const { concurrencyPerWork, ackWaitMs } = settings
  const consumers = connection.configured
    ? workTypes.map((work) => {
        const concurrency = work.concurrency ?? concurrencyPerWork
        return startConsumer({ context, connection, stream, work, concurrency, ackWaitMs, onLost })
      })
    : []
  return {
    async stop() {
      lossListeners.delete(onLost)
      const stopped = [reconciler, ...consumers].map((part) => part.stop(settings.stopTimeoutMs))
      await Promise.all(stopped)
      await Promise.all(tasks.map((task) => task.stop()))
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
