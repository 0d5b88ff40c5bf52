/**
 * Time passes: whatever is due first happens first, and the clock stands still meanwhile. One process moves a
 * clock, without the engine, so the same clock runs the same way twice. If it dies, its lease ends and another
 * goes on from where the clock stands.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, monotonicMs, testClock } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { testClockFailed, testClockReady } from '../events.ts'
import { testClockMachine } from '../machine.ts'
import * as store from '../store.ts'
import { mostActions, type TestClock } from '../test-clock.ts'
import { earliest, handle, type Piece } from './next.ts'

const leaseSeconds = 30

/** Until nothing is due any more at the time that the clock shows or is going to. */
export async function runClock(deps: Deps, ref: Ref<'test_clock'>): Promise<void> {
  const taken = await take(deps, ref)
  if (taken !== null) await pass(deps, ref, taken)
}

async function pass(deps: Deps, ref: Ref<'test_clock'>, taken: TestClock): Promise<void> {
  // Null as soon as the clock has arrived, or another has taken over.
  let clock: TestClock | null = taken
  const lease = { sinceMs: monotonicMs() }
  while (clock !== null) {
    const next = await earliest(deps, ref, clock)
    if (next === null) clock = await arrive(deps, ref, clock)
    else if (clock.actions - taken.actions < mostActions)
      clock = await happen(deps, ref, clock, { ...next, lease })
    else clock = await stumble(deps, ref, clock, `More than ${mostActions} things happened.`)
  }
}

type Instant = {
  readonly at: Date
  readonly pieces: readonly Piece[]
  readonly lease: { sinceMs: number }
}

/** What is due at one instant, one piece after the other. */
async function happen(
  deps: Deps,
  ref: Ref<'test_clock'>,
  before: TestClock,
  { at, pieces, lease }: Instant,
): Promise<TestClock | null> {
  let clock = before
  for (const piece of pieces) {
    const isOld = monotonicMs() - lease.sinceMs > (leaseSeconds * 1000) / 3
    if (at > clock.nowAt || isOld) {
      const moved = await move(deps, ref, clock, at)
      // Somebody has added to what is due, or wants it to go elsewhere: it is looked once more.
      if (moved === null || moved.nowAt < at) return moved
      clock = moved
      lease.sinceMs = monotonicMs()
    }
    const failure = await handle(inTime(deps, clock), piece).then(
      () => null,
      (error) => error as Error,
    )
    if (failure !== null) return fail(deps, ref, clock, { piece, failure })
    clock = { ...clock, actions: clock.actions + piece.refs.length }
  }
  return clock
}

function inTime(deps: Deps, { id, nowAt }: TestClock): Deps {
  return { ...deps, clock: testClock(id, nowAt, deps.clock) }
}

/** Those that are asked to go on look at the row: a message may come late or twice, and another may be at it. */
function take(deps: Deps, ref: Ref<'test_clock'>): Promise<TestClock | null> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockIfThere(tx, ref.id)
    if (before === null || before.dueAt === null || before.dueAt > tx.wallTime) return null
    return store.updateClock(tx, before, { dueAt: addSeconds(tx.wallTime, leaseSeconds) }, false)
  })
}

/**
 * The row as it stands, as long as the lease on it is ours; whoever touches a clock leaves the lease alone. With
 * the word whether somebody has touched it.
 */
async function hold(
  tx: Tx,
  ref: Ref<'test_clock'>,
  clock: TestClock,
): Promise<{ readonly row: TestClock; readonly isTouched: boolean } | null> {
  const row = await store.lockIfThere(tx, ref.id)
  if (row === null || row.dueAt?.getTime() !== clock.dueAt?.getTime()) return null
  return { row: { ...row, actions: clock.actions }, isTouched: row.version !== clock.version }
}

/** Null: another has taken over. In the time of the clock, as what happens then: nobody waits for the disk. */
function move(deps: Deps, ref: Ref<'test_clock'>, clock: TestClock, to: Date): Promise<TestClock | null> {
  return transact(inTime(deps, clock), systemCaller(ref), async (tx) => {
    const held = await hold(tx, ref, clock)
    if (held === null || held.isTouched) return held?.row ?? null
    const nowAt = to > clock.nowAt ? to : clock.nowAt
    const dueAt = addSeconds(tx.wallTime, leaseSeconds)
    return store.updateClock(tx, held.row, { nowAt, actions: clock.actions, dueAt }, false)
  })
}

/** Null: it is there. Otherwise somebody has touched it meanwhile, and it is looked once more. */
function arrive(deps: Deps, ref: Ref<'test_clock'>, clock: TestClock): Promise<TestClock | null> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const held = await hold(tx, ref, clock)
    if (held === null || held.isTouched) return held?.row ?? null
    const stands = { actions: clock.actions, dueAt: null }
    if (clock.status === 'advancing') {
      const { to } = step(testClockMachine, { state: clock.status, trigger: 'arrive', facts: {} })
      const changes = { ...stands, status: to, nowAt: clock.targetAt ?? clock.nowAt, targetAt: null }
      tx.emit(testClockReady, { after: await store.updateClock(tx, held.row, changes, true) })
    } else await store.updateClock(tx, held.row, stands, false)
    return null
  })
}

type Failed = { readonly piece: Piece; readonly failure: Error }

/** On its way it stops and says so. Otherwise nobody asked it to move: the engine tries again, and counts. */
async function fail(deps: Deps, ref: Ref<'test_clock'>, clock: TestClock, failed: Failed): Promise<null> {
  const { work, refs } = failed.piece
  const ids = refs.map(({ id }) => id).join(', ')
  const about = { work: work.name, id: ids, workspace_id: ref.workspaceId, error: failed.failure }
  deps.log.error('Something on a test clock failed.', about)
  if (clock.status !== 'advancing') throw failed.failure
  return stumble(deps, ref, clock, `${work.name} of ${ids} failed.`)
}

async function stumble(deps: Deps, ref: Ref<'test_clock'>, clock: TestClock, failure: string): Promise<null> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const held = await hold(tx, ref, clock)
    if (held === null || held.row.status !== 'advancing') return null
    const { to } = step(testClockMachine, { state: held.row.status, trigger: 'stumble', facts: {} })
    const changes = { status: to, failure, targetAt: null, dueAt: null }
    tx.emit(testClockFailed, { after: await store.updateClock(tx, held.row, changes, true) })
    return null
  })
}
