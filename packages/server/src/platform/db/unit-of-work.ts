/**
 * One change is one transaction: rows, events, postings, due times and the stored response are committed together.
 * `transact` opens it, passes a `Tx` to the body, writes events and postings, commits, and only then publishes hints.
 * The body makes no outbound calls, so it can run again after a conflict.
 */
import type { Compilable, CompiledQuery } from 'kysely'
import { assert } from '../../kernel/assert.ts'
import type { Caller } from '../../kernel/caller.ts'
import { type Clock, type Reading, wallTimeOf } from '../../kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Kind, slotOf, uuidOf } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import type { Hint, WorkName } from '../engine/work.ts'
import { begin } from './begin-transaction.ts'
import { send, sendText } from './bound-driver.ts'
import type { Connection, Databases, Db, Shard } from './databases.ts'
import {
  type Change,
  type EventContext,
  type EventDefinition,
  type EventRecord,
  type EventSubject,
  recordEvent,
} from './events.ts'
import { enterWorkspace, onShardOf } from './fence.ts'
import { type PendingEvent, recordPendingEvents } from './pending-events.ts'
import { insertPostings, type Posting } from './postings.ts'
import { isAnswered, markAnswered, storeResponse } from './replay.ts'
import {
  CommitLost,
  isConnectionLost,
  isReadOnlyServer,
  isStalePlan,
  maxWaitAfterCallMs,
  retryOptionsOf,
  withRetries,
} from './retries.ts'
import { withTestClock } from './test-clock-time.ts'
import { insideUnit } from './unit-scope.ts'

export type { Posting } from './postings.ts'
export { ConcurrentChange } from './retries.ts'
export { OnTestClock } from './test-clock-time.ts'
export type { Hint }

/** The context of a read. A Tx is also a View, so queries work inside a change too. */
export type View = {
  readonly db: Db
  readonly caller: Caller
}

export type Tx = View & {
  /** One timestamp for the whole unit, so that all its rows agree. */
  readonly now: Date
  /** Real time. It differs from `now` on a test clock. */
  readonly wallTime: Date
  /** The test clock of this unit, stored with the rows that it writes. */
  readonly testClockId: Id<'test_clock'> | null
  newId<K extends Kind>(kind: K): Id<K>
  /**
   * Queues a statement whose result is not needed. It is sent with the next statement, at the latest with the commit,
   * so it costs no round trip. Later statements of the unit see its effect.
   */
  write(statement: Compilable | CompiledQuery): void
  /** Emits an event. It is written at the end of the unit, in the same transaction, with the returned id. */
  emit<Row extends EventSubject>(event: EventDefinition<Row>, change: Change<Row>): Id<'event'>
  /** Posts movements of money to the ledger. They are written at the end of the unit, in the same transaction. */
  post(postings: readonly Posting[]): void
  /** Publishes a hint that a row is due at `at`. Call this in the store that writes the due column. */
  wake(work: WorkName, id: Id<Kind>, at: Date | null): void
}

export type UnitDeps = {
  readonly databases: Databases
  readonly clock: Clock
  readonly eventLog: EventLog
  readonly eventToVersion: EventContext['toVersion']
  /** The addresses of pages for the customers of a workspace. */
  readonly pagesOf: (workspaceId: Id<'workspace'>) => EventContext['pages']
  /** The current time of a test clock, for units that find objects on it. */
  readonly timeOf?: (caller: Caller, id: Id<'test_clock'>) => Promise<Clock>
  /** Receives hints after the commit. It never throws and never blocks. */
  readonly publish: (hints: readonly Hint[], now: Date) => void
}

/** Writes events, and determines which work to wake for them. */
export type EventLog = {
  insertEvents(tx: Tx, events: readonly EventRecord[]): CompiledQuery
  /** Uses the rows that the statement returned. */
  hintsOf(tx: Tx, rows: readonly unknown[]): readonly Hint[]
  /** Called after the commit of a unit with events of these types, to notify watchers. Never throws, never blocks. */
  announce(workspaceId: Id<'workspace'>, eventTypes: readonly string[]): void
}

/** The first reads of a unit. They are sent together with `begin`, so they cost no round trip. */
export type FirstReads<Loaded> = (view: FirstView) => Promise<Loaded>

/** The context of first reads. The time of the unit is not known yet. */
export type FirstView = View & Pick<Tx, 'testClockId'>

export async function transact<T, Loaded = void>(
  deps: UnitDeps,
  caller: Caller,
  body: (tx: Tx, loading: Promise<Loaded>) => Promise<T>,
  firstReads?: FirstReads<Loaded>,
): Promise<T> {
  const scope = caller.request?.replay ?? null
  assert(
    scope === null || !isAnswered(scope),
    'A request with an idempotency key must be one unit of work: its response is already committed.',
  )
  const result = await runUnit(deps, caller, { body, firstReads, storeResponse: responseStatementOf })
  if (scope !== null) markAnswered(scope)
  return result
}

/** The statement to run for the idempotency key in the same commit, if any. */
export type StoreResponse = (tx: Tx, result: unknown) => CompiledQuery | null

export type UnitSteps<T, Loaded> = {
  readonly firstReads?: FirstReads<Loaded> | undefined
  readonly body: (tx: Tx, loading: Promise<Loaded>) => Promise<T>
  readonly storeResponse: StoreResponse
  /**
   * Whether the unit records the result of a call to an external system. It waits longer than others while the database is
   * unavailable, or its workspace is being moved.
   */
  readonly isAfterCall?: boolean
}

export async function runUnit<T, Loaded>(
  deps: UnitDeps,
  caller: Caller,
  steps: UnitSteps<T, Loaded>,
): Promise<T> {
  const { result, hints, now, eventTypes } = await withTestClock(deps, caller, (depsAtTime) =>
    withRetries({ ...retryOptionsOf(caller), isAfterCall: steps.isAfterCall }, () =>
      onShardOf(
        deps.databases,
        caller.workspaceId,
        (shard) => runOnce(depsAtTime, shard, caller, steps),
        steps.isAfterCall ? maxWaitAfterCallMs : undefined,
      ),
    ),
  )
  crashpoint('unit.committed')
  deps.publish(hints, now)
  if (eventTypes.length > 0) deps.eventLog.announce(caller.workspaceId, eventTypes)
  return result
}

/**
 * Reads in one transaction. The statements are sent together with `begin`: one round trip instead of three.
 */
export async function read<T>(
  deps: Pick<UnitDeps, 'databases'>,
  caller: Caller,
  body: (view: View) => Promise<T>,
): Promise<T> {
  return withRetries(retryOptionsOf(caller), () =>
    onShardOf(deps.databases, caller.workspaceId, (shard) => readOnce(shard, caller, body)),
  )
}

async function readOnce<T>(shard: Shard, caller: Caller, body: (view: View) => Promise<T>): Promise<T> {
  const connection = await shard.connect()
  let isStale = false
  try {
    const first = enterWorkspace(caller.workspaceId, 'read')
    const beginning = sendText(connection.client, `begin read only; ${first}`)
    const [, result] = await Promise.all([beginning, insideUnit(() => body({ db: connection.db, caller }))])
    return result
  } catch (error) {
    isStale = isStalePlan(error)
    assert(!isReadOnlyServer(error), 'A read must not write. Use transact.')
    throw error
  } finally {
    abandon(connection, isStale)
  }
}

/**
 * Ends a transaction without changes. The caller does not wait, but the connection is released only
 * afterwards.
 */
export function abandon(connection: Connection, isStale: boolean): void {
  connection.seal()
  sendText(connection.client, 'rollback').then(
    () => connection.release(isStale),
    () => connection.release(true),
  )
}

type UnitResult<T> = {
  readonly result: T
  readonly hints: readonly Hint[]
  readonly now: Date
  readonly eventTypes: readonly string[]
}

async function runOnce<T, Loaded>(
  deps: UnitDeps,
  shard: Shard,
  caller: Caller,
  { firstReads, body, storeResponse }: UnitSteps<T, Loaded>,
): Promise<UnitResult<T>> {
  const connection = await shard.connectToWrite()
  try {
    const reading = deps.clock.read()
    const beginning = begin(caller, connection, reading)
    const loading = insideUnit(async () => firstReads?.(firstViewOf(caller, connection, reading)) as Loaded)
    // If the unit fails before it uses what was read, only its own error is reported.
    loading.catch(() => {})
    const unit = openUnit(deps, caller, connection, reading, await beginning)
    const result = await insideUnit(() => body(unit.tx, loading))
    shard.requireWritable()
    const eventHints = await finish(deps, connection, unit, () => storeResponse(unit.tx, result))
    connection.release()
    return {
      result,
      hints: [...unit.hints, ...eventHints],
      now: unit.tx.now,
      eventTypes: unit.eventTypes,
    }
  } catch (error) {
    if (isReadOnlyServer(error)) connection.retirePool()
    abandon(connection, isStalePlan(error))
    throw error
  }
}

function firstViewOf(caller: Caller, { db }: Connection, reading: Reading): FirstView {
  return { db, caller, testClockId: testClockOf(reading) }
}

function testClockOf(reading: Reading): Id<'test_clock'> | null {
  return reading.from === 'test_clock' ? reading.id : null
}

type Unit = {
  readonly tx: Tx
  readonly pendingEvents: readonly PendingEvent[]
  readonly eventTypes: readonly string[]
  readonly postings: readonly Posting[]
  readonly hints: readonly Hint[]
}

function openUnit(
  deps: UnitDeps,
  caller: Caller,
  connection: Connection,
  reading: Reading,
  startedAt: Date,
): Unit {
  const nextUuid = idMaker(startedAt, slotOf(caller.workspaceId))
  const newId = <K extends Kind>(kind: K) => idFromUuid(kind, caller.mode, nextUuid())
  const pendingEvents: PendingEvent[] = []
  const eventTypes: string[] = []
  const postings: Posting[] = []
  const hints: Hint[] = []

  const tx: Tx = {
    db: connection.db,
    caller,
    now: reading.from === 'database' ? startedAt : reading.at,
    wallTime: wallTimeOf(reading) ?? startedAt,
    testClockId: testClockOf(reading),
    newId,
    write: (statement) => connection.write('compile' in statement ? statement.compile() : statement),
    emit(definition, change) {
      const { mode, request } = caller
      const testClock = reading.from === 'test_clock' ? { id: reading.id, at: reading.at } : null
      const { eventToVersion: toVersion, pagesOf } = deps
      const pages = pagesOf(caller.workspaceId)
      const context = { id: newId('event'), at: startedAt, mode, request, testClock, pages, toVersion }
      pendingEvents.push((apiVersion) => recordEvent(definition, change, { ...context, apiVersion }))
      eventTypes.push(definition.type)
      return context.id
    },
    post(added) {
      postings.push(...added)
    },
    wake(work, id, at) {
      // Work on a test clock is dispatched by that clock.
      if (reading.from === 'test_clock' && !work.startsWith('test_clock.')) return
      if (at !== null) hints.push({ work, ref: { workspaceId: caller.workspaceId, id }, at })
    },
  }
  return { tx, pendingEvents, eventTypes, postings, hints }
}

/**
 * Sends the last statements together. Returns hints for the consumers of the events.
 */
async function finish(
  deps: UnitDeps,
  connection: Connection,
  unit: Unit,
  responseStatement: () => CompiledQuery | null,
): Promise<readonly Hint[]> {
  const events = await recordPendingEvents(unit.tx, unit.pendingEvents)
  const written = connection.sendWrites()
  connection.seal()
  const { client } = connection
  // Sent in order without waiting, so that the commit comes last.
  const logged = events.length === 0 ? null : send(client, deps.eventLog.insertEvents(unit.tx, events))
  const posting = postingStatementOf(unit)
  const posted = posting === null ? null : send(client, posting)
  const storing = responseStatement()
  const writes = [
    written,
    logged,
    posted,
    storing === null ? null : send(client, storing),
    connection.commit(),
  ] as const
  const [, inserted] = await Promise.all(writes).catch((error) =>
    Promise.reject(isConnectionLost(error) ? new CommitLost(error) : error),
  )
  return inserted === null ? [] : deps.eventLog.hintsOf(unit.tx, inserted.rows)
}

function postingStatementOf({ tx, postings }: Unit): CompiledQuery | null {
  if (postings.length === 0) return null
  const scope = { db: tx.db, workspaceId: tx.caller.workspaceId, effectiveAt: tx.now }
  return insertPostings(scope, postings)
}

/** Stores the response for repeated requests. */
function responseStatementOf(tx: Tx, result: unknown): CompiledQuery | null {
  const { workspaceId, request } = tx.caller
  if (!request?.replay) return null
  const key = { workspaceId, uuid: uuidOf(tx.newId('request')), requestId: request.id }
  return storeResponse(tx.db, key, request.replay, request.replay.render(result))
}
