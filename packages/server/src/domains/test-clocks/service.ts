/** Test clocks, and how others live in their time. `deps` opens a unit of work. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { type Clock, monotonicMs, testClock } from '../../kernel/clock.ts'
import { addDuration, isDuration } from '../../kernel/duration.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { type Id, uuidFromText } from '../../kernel/id.ts'
import { step } from '../../kernel/machine.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { beginRequest, continueRequest } from '../../platform/db/resumable.ts'
import { read, type Tx, transact, type View } from '../../platform/db/unit-of-work.ts'
import { Nap, orAfter } from '../../platform/engine/nap.ts'
import { testClockMachine } from './machine.ts'
import type { AdvanceTestClock, CreateTestClock, TimelineQuery } from './schema.ts'
import { runClock } from './service/run.ts'
import * as store from './store.ts'
import { longestYears, type TestClock } from './test-clock.ts'
import { entryOf } from './timeline.ts'

export type { TestClock } from './test-clock.ts'

export function createTestClock(deps: Deps, caller: Caller, input: CreateTestClock): Promise<TestClock> {
  if (caller.mode === 'live')
    refuse('test_mode_only', { detail: 'Production has no test clocks: its time is real.' })
  return transact(deps, caller, (tx) =>
    store.insertClock(tx, {
      nowAt: input.now_at === undefined ? tx.now : new Date(input.now_at),
      name: input.name ?? null,
      metadata: mergeMetadata({}, input.metadata ?? {}),
    }),
  )
}

export function getTestClock(deps: Deps, caller: Caller, id: string): Promise<TestClock> {
  return read(deps, caller, (view) => store.findClock(view, id))
}

export function listTestClocks(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listClocks(view, range))
}

/** What happened on it, in its order. `about` says of a type of events when it happens. */
export function getTimeline(
  deps: Deps,
  caller: Caller,
  id: string,
  query: TimelineQuery & { readonly about: (type: string) => string },
) {
  const { limit = 20, starting_after: cursor, about } = query
  const after =
    cursor === undefined ? null : (uuidFromText('event', caller.mode, cursor) ?? refuse('invalid_cursor'))
  return read(deps, caller, async (view) => {
    const clock = await store.findClock(view, id)
    // One more than asked for tells whether more follow, without counting.
    const told = await store.listTold(view, clock.id, { after, limit: limit + 1 })
    const entries = told.slice(0, limit).map((event) => entryOf(event, about))
    return { clock, rows: entries, hasMore: told.length > limit }
  })
}

/** It no longer moves. What lives on it stays as it is, for good. */
export function deleteTestClock(deps: Deps, caller: Caller, id: string): Promise<TestClock> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockClock(tx, id)
    requireReady(before)
    return store.updateClock(tx, before, { deletedAt: tx.wallTime, dueAt: null }, false)
  })
}

/** Moves it, and runs everything that becomes due on the way, one thing after another in the order of their times. */
export async function advanceTestClock(
  deps: Deps,
  caller: Caller,
  id: string,
  input: AdvanceTestClock,
): Promise<TestClock> {
  const begun = await beginRequest(deps, caller, async (tx) => {
    const before = await store.lockClock(tx, id)
    const { to } = step(testClockMachine, { state: before.status, trigger: 'advance', facts: {} })
    const targetAt = targetOf(before.nowAt, input)
    // Whoever runs on it already has the lease, and goes on to there.
    const dueAt = before.dueAt !== null && before.dueAt > tx.wallTime ? before.dueAt : tx.wallTime
    return store.updateClock(tx, before, { status: to, targetAt, failure: null, dueAt }, false)
  })
  const running = runUntilThere(deps, caller, id as Id<'test_clock'>)
  const isDone = await orAfter(
    deps.limits.requestMs,
    running.then(() => true),
    false,
  )
  if (!isDone) deps.later(running)
  return continueRequest(
    deps,
    caller,
    begun.hold,
    (tx) => store.findClock(tx, id),
    () => true,
  )
}

const lookAgainMs = 50

/** Or until nobody waits for it any more: then whoever runs on it goes on by itself. */
async function runUntilThere(deps: Deps, caller: Caller, id: Id<'test_clock'>): Promise<void> {
  const nap = new Nap()
  const untilMs = monotonicMs() + deps.limits.requestMs
  for (;;) {
    await runClock(deps, { workspaceId: caller.workspaceId, id })
    const { status } = await getTestClock(deps, caller, id)
    if (status !== 'advancing' || monotonicMs() >= untilMs) return
    await nap.sleep(lookAgainMs)
  }
}

function targetOf(nowAt: Date, { to_at: to, by }: AdvanceTestClock): Date {
  if ((to === undefined) === (by === undefined))
    refuseMember('/to_at', 'required', 'either to_at or by says how far')
  if (by !== undefined && !isDuration(by))
    refuseMember('/by', 'bad_format', 'must say how long, such as P1M or PT12H')
  const target = to === undefined ? addDuration(nowAt, by as string) : new Date(to)
  const place = to === undefined ? '/by' : '/to_at'
  if (target < nowAt) refuseMember(place, 'too_small', `must not lead back behind ${nowAt.toISOString()}`)
  if (target > addDuration(nowAt, `P${longestYears}Y`))
    refuseMember(place, 'too_large', `must not lead further than ${longestYears} years`)
  return target
}

/** Verbs about what lives on a clock run in its time. While it is on its way nobody touches them. */
export async function clockOf(deps: Deps, caller: Caller, id: Id<'test_clock'> | null): Promise<Deps> {
  if (id === null) return deps
  const clock = await read(deps, caller, (view) => store.findClock(view, id))
  requireReady(clock)
  return { ...deps, clock: testClock(clock.id, clock.nowAt, deps.clock) }
}

/** The same for a unit that has met what lives on a clock, also while that is on its way: providers do not wait. */
export async function timeOf(deps: Deps, caller: Caller, id: Id<'test_clock'>): Promise<Clock> {
  const nowAt = await read(deps, caller, (view) => store.timeOn(view, id))
  return testClock(id, nowAt, deps.clock)
}

function requireReady({ status, nowAt }: TestClock): void {
  if (status !== 'advancing') return
  refuse('test_clock_advancing', {
    detail: `The test clock is on its way, and has come to ${nowAt.toISOString()}.`,
    retryAfterSeconds: 1,
  })
}

/** What was written in this unit may be due at once: its clock looks after the commit. */
export async function touchClock(tx: Tx): Promise<void> {
  if (tx.testClockId !== null) await store.touch(tx, tx.testClockId)
}

/** The clock that a body names. */
export function requireClock(view: View, id: string): Promise<TestClock> {
  return store.requireClock(view, id)
}
