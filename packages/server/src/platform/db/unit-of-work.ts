/**
 * One change is one transaction: rows, events, due times and the answer to a repeated request together.
 * `transact` opens it, hands out a `Tx`, writes what was told, commits, and only then lets hints leave.
 * The body calls no stranger, so it may be run again when the database asks for it.
 */
import type { CompiledQuery } from 'kysely'
import { assert } from '../../kernel/assert.ts'
import type { Caller } from '../../kernel/caller.ts'
import { type Clock, type Reading, wallOf } from '../../kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Kind, slotOf, uuidOf } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import type { Hint, WorkName } from '../engine/work.ts'
import { begin } from './begin-unit.ts'
import { send, sendText } from './bound-driver.ts'
import { type Connection, type Databases, type Db, enterWorkspace } from './databases.ts'
import {
  type Change,
  type EventDefinition,
  type EventRecord,
  type Occasion,
  recordEvent,
  type Told,
} from './events.ts'
import { insideUnit } from './open-unit.ts'
import { inItsTime } from './other-time.ts'
import { isAnswered, keepAnswer, noteAnswered } from './replay.ts'
import { CommitLost, isAway, isStalePlan, withRetries } from './retries.ts'
import { recorded, type Telling } from './tellings.ts'

export { OtherTime } from './other-time.ts'
export { Overtaken } from './retries.ts'
export type { Hint }

/** Enough to read. A Tx is also a View, so what reads works inside a change too. */
export type View = {
  readonly db: Db
  readonly caller: Caller
}

export type Tx = View & {
  /** One instant for the whole unit, so that all its rows agree on the time. */
  readonly now: Date
  /** What the world's clock says. It differs from `now` on a test clock, of which the world knows nothing. */
  readonly wallTime: Date
  /** The test clock whose time it is, for the rows that are written in it. */
  readonly testClockId: Id<'test_clock'> | null
  newId<K extends Kind>(kind: K): Id<K>
  /** Tells of a change. The event is written with it, at the end of the unit; this is the id it will have. */
  emit<Row extends Told>(event: EventDefinition<Row>, change: Change<Row>): Id<'event'>
  /** Hints that a row wants attention at `at`. The store that writes the due column calls it. */
  wake(work: WorkName, id: Id<Kind>, at: Date | null): void
}

export type UnitDeps = {
  readonly databases: Databases
  readonly clock: Clock
  readonly eventLog: EventLog
  readonly eventToVersion: Occasion['toVersion']
  /** What a test clock shows now, for units that meet what lives on it. */
  readonly timeOf?: (caller: Caller, id: Id<'test_clock'>) => Promise<Clock>
  /** Takes hints after the commit. It never throws and never makes the caller wait. */
  readonly publish: (hints: readonly Hint[], now: Date) => void
}

/** Writes what was told, and says who is to be woken for it. */
export type EventLog = {
  insertEvents(tx: Tx, events: readonly EventRecord[]): CompiledQuery
  /** From the rows that the statement returned. */
  hintsOf(tx: Tx, rows: readonly unknown[]): readonly Hint[]
  /** After the commit of a unit that told something, for those who watch. Never throws, never waits. */
  announce(workspaceId: Id<'workspace'>): void
}

export async function transact<T>(deps: UnitDeps, caller: Caller, body: (tx: Tx) => Promise<T>): Promise<T> {
  const scope = caller.request?.replay ?? null
  assert(
    scope === null || !isAnswered(scope),
    'A request with a key is one unit of work: its answer is committed.',
  )
  const result = await runUnit(deps, caller, body, keptAnswer)
  if (scope !== null) noteAnswered(scope)
  return result
}

/** What is written about the request's key in the same commit, if anything is. */
export type Keep = (tx: Tx, result: unknown) => CompiledQuery | null

export async function runUnit<T>(
  deps: UnitDeps,
  caller: Caller,
  body: (tx: Tx) => Promise<T>,
  keep: Keep,
): Promise<T> {
  const { result, hints, now, told } = await inItsTime(deps, caller, (timed) =>
    withRetries(caller, () => runOnce(timed, caller, body, keep)),
  )
  crashpoint('unit.committed')
  deps.publish(hints, now)
  if (told) deps.eventLog.announce(caller.workspaceId)
  return result
}

/** Reads in one transaction. The statements leave together with its beginning: one round trip, not three. */
export async function read<T>(
  deps: Pick<UnitDeps, 'databases'>,
  caller: Caller,
  body: (view: View) => Promise<T>,
): Promise<T> {
  return withRetries(caller, async () => {
    const connection = await deps.databases.of(caller.workspaceId).connect()
    let stale = false
    try {
      const begun = sendText(connection.client, `begin read only; ${enterWorkspace(caller.workspaceId)}`)
      const [result] = await Promise.all([insideUnit(() => body({ db: connection.db, caller })), begun])
      return result
    } catch (error) {
      stale = isStalePlan(error)
      throw error
    } finally {
      abandon(connection, stale)
    }
  })
}

/** Ends a transaction that changes nothing. Nobody waits for it, but the connection is lent again only then. */
function abandon(connection: Connection, stale: boolean): void {
  connection.seal()
  sendText(connection.client, 'rollback').then(
    () => connection.release(stale),
    () => connection.release(true),
  )
}

type Done<T> = {
  readonly result: T
  readonly hints: readonly Hint[]
  readonly now: Date
  readonly told: boolean
}

async function runOnce<T>(
  deps: UnitDeps,
  caller: Caller,
  body: (tx: Tx) => Promise<T>,
  keep: Keep,
): Promise<Done<T>> {
  const connection = await deps.databases.of(caller.workspaceId).connect()
  try {
    const reading = deps.clock.read()
    const unit = openUnit(deps, caller, connection, reading, await begin(caller, connection, reading))
    const result = await insideUnit(() => body(unit.tx))
    const told = await finish(deps, connection, unit, () => keep(unit.tx, result))
    connection.release()
    return { result, hints: [...unit.hints, ...told], now: unit.tx.now, told: unit.tellings.length > 0 }
  } catch (error) {
    abandon(connection, isStalePlan(error))
    throw error
  }
}

type Unit = { readonly tx: Tx; readonly tellings: readonly Telling[]; readonly hints: readonly Hint[] }

function openUnit(
  deps: UnitDeps,
  caller: Caller,
  connection: Connection,
  reading: Reading,
  startedAt: Date,
): Unit {
  const nextUuid = idMaker(startedAt, slotOf(caller.workspaceId))
  const newId = <K extends Kind>(kind: K) => idFromUuid(kind, caller.mode, nextUuid())
  const tellings: Telling[] = []
  const hints: Hint[] = []

  const tx: Tx = {
    db: connection.db,
    caller,
    now: reading.from === 'database' ? startedAt : reading.at,
    wallTime: wallOf(reading) ?? startedAt,
    testClockId: reading.from === 'test_clock' ? reading.id : null,
    newId,
    emit(definition, change) {
      const { mode, request } = caller
      const testClock = reading.from === 'test_clock' ? { id: reading.id, at: reading.at } : null
      const toVersion = deps.eventToVersion
      const occasion = { id: newId('event'), at: startedAt, mode, request, testClock, toVersion }
      tellings.push((apiVersion) => recordEvent(definition, change, { ...occasion, apiVersion }))
      return occasion.id
    },
    wake(work, id, at) {
      // What lives on a test clock is handed out by that clock.
      if (reading.from === 'test_clock' && !work.startsWith('test_clock.')) return
      if (at !== null) hints.push({ work, ref: { workspaceId: caller.workspaceId, id }, at })
    },
  }
  return { tx, tellings, hints }
}

/**
 * The last statements leave together. A commit after a failed one is a rollback, and is read as one. Gives
 * hints for those whom the events are for.
 */
async function finish(
  deps: UnitDeps,
  connection: Connection,
  unit: Unit,
  keep: () => CompiledQuery | null,
): Promise<readonly Hint[]> {
  const events = await recorded(unit.tx, unit.tellings)
  connection.seal()
  const { client } = connection
  // Sent one after another without waiting, so that the commit comes last.
  const logged = events.length === 0 ? null : send(client, deps.eventLog.insertEvents(unit.tx, events))
  const kept = keep()
  const writes = [logged, kept === null ? null : send(client, kept), sendText(client, 'commit')] as const
  const [written, , { command }] = await Promise.all(writes).catch((error) =>
    Promise.reject(isAway(error) ? new CommitLost(error) : error),
  )
  assert(command === 'COMMIT', 'A statement of this unit failed and its error was swallowed.')
  return written === null ? [] : deps.eventLog.hintsOf(unit.tx, written.rows)
}

/** For a repeat of the request, which is answered the same. */
function keptAnswer(tx: Tx, result: unknown): CompiledQuery | null {
  const { workspaceId, request } = tx.caller
  if (!request?.replay) return null
  const key = { workspaceId, uuid: uuidOf(tx.newId('request')), requestId: request.id }
  return keepAnswer(tx.db, key, request.replay, request.replay.render(result))
}
