/**
 * Test clocks, and the functions with which other domains use their time. Functions that take `deps` open a unit of
 * work.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { type Clock, monotonicMs, testClock } from '../../../kernel/clock.ts'
import { addDuration, isDuration } from '../../../kernel/duration.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Id, uuidFromText } from '../../../kernel/id.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { continueRequest, runResumable } from '../../../platform/db/resumable.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { CancellableSleep, withTimeout } from '../../../platform/engine/cancellable-sleep.ts'
import { testClockMachine } from './machine.ts'
import type { AdvanceTestClock, CreateTestClock, TimelineQuery } from './schema.ts'
import { runClock } from './service/run.ts'
import * as store from './store.ts'
import { maxAdvanceYears, type TestClock } from './test-clock.ts'
import { entryOf } from './timeline.ts'

export type { TestClock } from './test-clock.ts'

export function createTestClock(deps: Deps, caller: Caller, input: CreateTestClock): Promise<TestClock> {
  if (caller.mode === 'live')
    refuse('test_mode_only', { detail: 'Test clocks are available in the test environment only.' })
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

/** What happened on the clock, in order. `about` returns the description of an event type. */
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
    // Read one more than requested, which shows whether more follow without counting them.
    const events = await store.listEvents(view, clock.id, { after, limit: limit + 1 })
    const entries = events.slice(0, limit).map((event) => entryOf(event, about))
    return { clock, rows: entries, hasMore: events.length > limit }
  })
}

/** Deletes the clock. Its time stops, so nothing more becomes due for the objects on it. */
export function deleteTestClock(deps: Deps, caller: Caller, id: string): Promise<TestClock> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockClock(tx, id)
    requireReady(before)
    return store.updateClock(tx, before, { deletedAt: tx.wallTime, dueAt: null }, false)
  })
}

/** Advances the clock, and runs all work that becomes due, in the order of the due times. */
export async function advanceTestClock(
  deps: Deps,
  caller: Caller,
  id: string,
  input: AdvanceTestClock,
): Promise<TestClock> {
  const begin = async (tx: Tx) => {
    const before = await store.lockClock(tx, id)
    const { to } = nextTransition(testClockMachine, { state: before.status, trigger: 'advance', facts: {} })
    const targetAt = targetOf(before.nowAt, input)
    // A process that already runs the clock keeps its lease, and continues to the new target.
    const dueAt = before.dueAt !== null && before.dueAt > tx.wallTime ? before.dueAt : tx.wallTime
    return store.updateClock(tx, before, { status: to, targetAt, failure: null, dueAt }, false)
  }
  return runResumable(deps, caller, begin, async ({ keyLease }) => {
    const running = runUntilTarget(deps, caller, id as Id<'test_clock'>)
    const isDone = await withTimeout(
      deps.limits.requestMs,
      running.then(() => true),
      false,
    )
    if (!isDone) deps.runInBackground(running)
    return continueRequest(
      deps,
      caller,
      keyLease,
      (tx) => store.findClock(tx, id),
      () => true,
    )
  })
}

const pollMs = 50

/**
 * Runs the clock until it reaches its target or the request times out. After a timeout, the process that holds the
 * lease continues.
 */
async function runUntilTarget(deps: Deps, caller: Caller, id: Id<'test_clock'>): Promise<void> {
  const sleeper = new CancellableSleep()
  const untilMs = monotonicMs() + deps.limits.requestMs
  for (;;) {
    await runClock(deps, { workspaceId: caller.workspaceId, id })
    const { status } = await getTestClock(deps, caller, id)
    if (status !== 'advancing' || monotonicMs() >= untilMs) return
    await sleeper.sleep(pollMs)
  }
}

function targetOf(nowAt: Date, { to_at: to, by }: AdvanceTestClock): Date {
  if ((to === undefined) === (by === undefined))
    refuseMember('/to_at', 'required', 'is required unless "by" is sent, and cannot be combined with "by"')
  if (by !== undefined && !isDuration(by))
    refuseMember('/by', 'bad_format', 'must be an ISO 8601 duration such as P1M or PT12H')
  const target = to === undefined ? addDuration(nowAt, by as string) : new Date(to)
  const pointer = to === undefined ? '/by' : '/to_at'
  if (target < nowAt)
    refuseMember(
      pointer,
      'too_small',
      `must not be before the current time of the clock, ${nowAt.toISOString()}`,
    )
  if (target > addDuration(nowAt, `P${maxAdvanceYears}Y`))
    refuseMember(pointer, 'too_large', `must not advance the clock by more than ${maxAdvanceYears} years`)
  return target
}

/**
 * Dependencies for operations on an object of this clock, which run at its time. Refused while the clock is
 * advancing.
 */
export async function withTestClock(deps: Deps, caller: Caller, id: Id<'test_clock'> | null): Promise<Deps> {
  if (id === null) return deps
  const clock = await read(deps, caller, (view) => store.findClock(view, id))
  requireReady(clock)
  return { ...deps, clock: testClock(clock.id, clock.nowAt, deps.clock) }
}

/**
 * The clock for a transaction that changes an object on it. Also works while the clock is advancing, because
 * provider events do not wait.
 */
export async function loadTestClock(deps: Deps, caller: Caller, id: Id<'test_clock'>): Promise<Clock> {
  const nowAt = await read(deps, caller, (view) => store.readTime(view, id))
  return testClock(id, nowAt, deps.clock)
}

function requireReady({ status, nowAt }: TestClock): void {
  if (status !== 'advancing') return
  refuse('test_clock_advancing', {
    detail: `The test clock is advancing and has reached ${nowAt.toISOString()}.`,
    retryAfterSeconds: 1,
  })
}

/** Runs the clock after the commit, because something that this transaction wrote may be due immediately. */
export async function wakeTestClock(tx: Tx): Promise<void> {
  if (tx.testClockId !== null) await store.wake(tx, tx.testClockId)
}

/** Finds the clock that a request body refers to. */
export function requireClock(view: View, id: string): Promise<TestClock> {
  return store.requireClock(view, id)
}
