/**
 * How the pieces fit. Every process connects, and publishes after its commits. Workers also consume: one
 * consumer per work asks for ids and handles them. All workers offer to reconcile, one per shard does; it
 * makes streams and consumers, publishes what is due and not held, does the chores, and handles what is due
 * itself while NATS is away or there is none.
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
import { createChores } from './chores.ts'
import { type Connection, openConnection } from './connection.ts'
import { startConsumer } from './consume.ts'
import { gathered } from './gather.ts'
import { createPublisher, type Publisher } from './publish.ts'
import { Reconciler, type ReconcilerSettings, reconcilerDefaults } from './reconcile.ts'
import type { Hint, Work } from './work.ts'

/** What a process needs to publish. Those that serve the API need no more. */
export type Engine = {
  readonly connection: Connection
  readonly publisher: Publisher
  readonly announcements: Announcements
  /** Told of every hint that did not arrive. */
  readonly lossListeners: Set<() => void>
  publish(hints: readonly Hint[], now: Date): void
  /** Milliseconds that NATS has been away; 0 while it is there. */
  awayForMs(): number
  /** Sends what is on its way and hangs up. Stop workers first. */
  close(): Promise<void>
}

export type EngineOptions = {
  /** Null: there is no engine, and the reconciler does all work. */
  readonly natsUrl: string | null
  readonly log: Log
  readonly metrics: Metrics
}

/** Returns at once, also while NATS is away: it may come later, or never. */
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
    awayForMs: () => connection.awayForMs(),
    close: () => connection.close(),
  }
}

export type WorkerSettings = ReconcilerSettings & {
  /** How many of one work this process handles at a time. */
  readonly handsPerWork: number
  /** How long `stop` waits for what is being handled. */
  readonly stopPatienceMs: number
}

export const workerDefaults: WorkerSettings = {
  ...reconcilerDefaults,
  handsPerWork: 16,
  stopPatienceMs: 25_000,
}

export type WorkersOptions<Deps extends EngineDeps> = {
  readonly deps: Deps
  readonly works: readonly Work<Deps>[]
  readonly databaseUrl: string
  readonly log: Log
  readonly metrics: Metrics
  readonly settings?: Partial<WorkerSettings>
  /** What else the one process that reconciles looks at. */
  readonly backlog?: LeaderWatch
}

export type LeaderWatch = {
  /** Looks if it is time. Returns at once. */
  lookIfDue(): void
  /** Another process may look from now on. */
  forget(): void
  stop(): Promise<void>
}

export type Workers = { stop(): Promise<void> }

export function startWorkers<Deps extends EngineDeps>(
  engine: Engine,
  options: WorkersOptions<Deps>,
): Workers {
  const { deps, databaseUrl, log, metrics } = options
  const works = options.works.map(gathered)
  const settings = { ...workerDefaults, ...options.settings }
  const [shard, ...others] = deps.databases.shards
  assert(
    shard !== undefined && others.length === 0,
    'A second shard needs a stream of its own: see streams.ts.',
  )
  assertNames(works)

  const { connection, publisher } = engine
  const context = { deps, log, metrics }
  const chores = createChores({ shard, databaseUrl, log, metrics })
  const alsoDo = () => {
    chores.runIfDue()
    options.backlog?.lookIfDue()
  }
  const resigned = () => {
    chores.forget()
    options.backlog?.forget()
  }
  const duties = { alsoDo, resigned }
  const reconciler = new Reconciler({ shard, context, connection, publisher, works, settings, ...duties })
  reconciler.start()
  const lost = () => reconciler.soon()
  engine.lossListeners.add(lost)
  const { handsPerWork, ackWaitMs } = settings
  const consumers = connection.configured
    ? works.map((work) => {
        const hands = work.hands ?? handsPerWork
        return startConsumer({ context, connection, work, hands, ackWaitMs, lost })
      })
    : []
  return {
    async stop() {
      engine.lossListeners.delete(lost)
      const stopped = [reconciler, ...consumers].map((piece) => piece.stop(settings.stopPatienceMs))
      await Promise.all(stopped)
      await Promise.all([chores.stop(), options.backlog?.stop()])
    },
  }
}

/** A name becomes two tokens of a subject, and a consumer takes what carries it. */
function assertNames(works: readonly Work<never>[]): void {
  const names = works.map(({ name }) => name)
  const strange = names.find((name) => !/^[a-z_]+\.[a-z_]+$/.test(name))
  assert(strange === undefined, `Work is called <object>.<verb>, unlike ${strange}.`)
  assert(new Set(names).size === names.length, `Two works have one name: ${names.join(', ')}.`)
}
