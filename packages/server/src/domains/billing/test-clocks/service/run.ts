/**
 * Runs a test clock: due work runs in the order of its due times, and the clock does not move in the meantime. One
 * process runs all work of a clock itself instead of through the engine, so that runs are deterministic. If it
 * crashes, its lease expires and another process continues from the current time of the clock.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs, testClock } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { testClockFailed, testClockReady } from '../events.ts'
import { testClockMachine } from '../machine.ts'
import * as store from '../store.ts'
import { maxActions, type TestClock } from '../test-clock.ts'
import { findEarliestDue, runBatch, type WorkBatch } from './next.ts'

const leaseSeconds = 30

/** Runs until nothing is due at the target time, or at the current time if the clock is not advancing. */
export async function runClock(deps: Deps, ref: Ref<'test_clock'>): Promise<void> {
  const leased = await takeLease(deps, ref)
  if (leased !== null) await runUntilIdle(deps, ref, leased)
}

async function runUntilIdle(deps: Deps, ref: Ref<'test_clock'>, leased: TestClock): Promise<void> {
  // Null once the clock has reached its target, or another process has taken over.
  let clock: TestClock | null = leased
  const lease = { sinceMs: monotonicMs() }
  while (clock !== null) {
    const next = await findEarliestDue(deps, ref, clock)
    if (next === null) clock = await reachTarget(deps, ref, clock)
    else if (clock.actions - leased.actions < maxActions)
      clock = await runInstant(deps, ref, clock, { ...next, lease })
    else
      clock = await failClock(
        deps,
        ref,
        clock,
        `The clock stopped after ${maxActions} actions, the maximum for one advance.`,
      )
  }
}

type DueInstant = {
  readonly at: Date
  readonly batches: readonly WorkBatch[]
  readonly lease: { sinceMs: number }
}

/** Runs the work that is due at one instant, one batch after another. */
async function runInstant(
  deps: Deps,
  ref: Ref<'test_clock'>,
  before: TestClock,
  { at, batches, lease }: DueInstant,
): Promise<TestClock | null> {
  let clock = before
  for (const batch of batches) {
    const needsRenewal = monotonicMs() - lease.sinceMs > (leaseSeconds * 1000) / 3
    if (at > clock.nowAt || needsRenewal) {
      const moved = await moveClock(deps, ref, clock, at)
      // The clock was changed in the meantime: other work may be due, or the target may have moved.
      if (moved === null || moved.nowAt < at) return moved
      clock = moved
      lease.sinceMs = monotonicMs()
    }
    const failure = await runBatch(atClockTime(deps, clock), batch).then(
      () => null,
      (error) => error as Error,
    )
    if (failure !== null) return handleFailure(deps, ref, clock, { batch, failure })
    clock = { ...clock, actions: clock.actions + batch.refs.length }
  }
  return clock
}

function atClockTime(deps: Deps, { id, nowAt }: TestClock): Deps {
  return { ...deps, clock: testClock(id, nowAt, deps.clock) }
}

/** Takes the lease. Null if nothing is due or another process has it: a message may arrive late or twice. */
function takeLease(deps: Deps, ref: Ref<'test_clock'>): Promise<TestClock | null> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockUnlessDeleted(tx, ref.id)
    if (before === null || before.dueAt === null || before.dueAt > tx.wallTime) return null
    return store.updateClock(tx, before, { dueAt: addSeconds(tx.wallTime, leaseSeconds) }, false)
  })
}

/**
 * Locks the row. Null if this process no longer has the lease. `wasChanged` is whether another transaction
 * has changed the clock in the meantime, which does not affect the lease.
 */
async function lockWithLease(
  tx: Tx,
  ref: Ref<'test_clock'>,
  clock: TestClock,
): Promise<{ readonly row: TestClock; readonly wasChanged: boolean } | null> {
  const row = await store.lockUnlessDeleted(tx, ref.id)
  if (row === null || row.dueAt?.getTime() !== clock.dueAt?.getTime()) return null
  return { row: { ...row, actions: clock.actions }, wasChanged: row.version !== clock.version }
}

/**
 * Moves the time of the clock. Null if another process has taken over. The transaction uses the test clock, so
 * its commit does not wait for the disk.
 */
function moveClock(
  deps: Deps,
  ref: Ref<'test_clock'>,
  clock: TestClock,
  to: Date,
): Promise<TestClock | null> {
  return transact(atClockTime(deps, clock), systemCaller(ref), async (tx) => {
    const locked = await lockWithLease(tx, ref, clock)
    if (locked === null || locked.wasChanged) return locked?.row ?? null
    const nowAt = to > clock.nowAt ? to : clock.nowAt
    const dueAt = addSeconds(tx.wallTime, leaseSeconds)
    return store.updateClock(tx, locked.row, { nowAt, actions: clock.actions, dueAt }, false)
  })
}

/**
 * Null if the clock has reached its target. Otherwise it was changed in the meantime, and due work is queried again.
 */
function reachTarget(deps: Deps, ref: Ref<'test_clock'>, clock: TestClock): Promise<TestClock | null> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const locked = await lockWithLease(tx, ref, clock)
    if (locked === null || locked.wasChanged) return locked?.row ?? null
    const idle = { actions: clock.actions, dueAt: null }
    if (clock.status === 'advancing') {
      const { to } = nextTransition(testClockMachine, {
        state: clock.status,
        trigger: 'reach_target',
        facts: {},
      })
      const changes = { ...idle, status: to, nowAt: clock.targetAt ?? clock.nowAt, targetAt: null }
      tx.emit(testClockReady, { after: await store.updateClock(tx, locked.row, changes, true) })
    } else await store.updateClock(tx, locked.row, idle, false)
    return null
  })
}

type FailedBatch = { readonly batch: WorkBatch; readonly failure: Error }

/** An advancing clock stops with a failure. Otherwise this throws, and the engine retries the work. */
async function handleFailure(
  deps: Deps,
  ref: Ref<'test_clock'>,
  clock: TestClock,
  failed: FailedBatch,
): Promise<null> {
  const { work, refs } = failed.batch
  const ids = refs.map(({ id }) => id).join(', ')
  const fields = { work: work.name, id: ids, workspace_id: ref.workspaceId, error: failed.failure }
  deps.log.error('Work on a test clock failed.', fields)
  if (clock.status !== 'advancing') throw failed.failure
  return failClock(deps, ref, clock, `${work.name} failed for ${ids}.`)
}

async function failClock(
  deps: Deps,
  ref: Ref<'test_clock'>,
  clock: TestClock,
  failure: string,
): Promise<null> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const locked = await lockWithLease(tx, ref, clock)
    if (locked === null || locked.row.status !== 'advancing') return null
    const { to } = nextTransition(testClockMachine, { state: locked.row.status, trigger: 'fail', facts: {} })
    const changes = { status: to, failure, targetAt: null, dueAt: null }
    tx.emit(testClockFailed, { after: await store.updateClock(tx, locked.row, changes, true) })
    return null
  })
}
