/**
 * Sources of time. Business time comes from Postgres, so that servers whose clocks differ agree. Test
 * harnesses can set it by hand. This is the only file that may read the clock of the machine.
 */

import type { Id } from './id.ts'

/**
 * An instant, or `database` to use the time of the database. Objects attached to a test clock use the time of
 * that clock.
 */
export type Reading =
  | { readonly from: 'database' }
  | { readonly from: 'harness'; readonly at: Date }
  | {
      readonly from: 'test_clock'
      readonly at: Date
      readonly id: Id<'test_clock'>
      /** The real time as set by a test harness; null to use the time of the database. */
      readonly wallTimeAt: Date | null
    }

export type Clock = { read(): Reading }

export const databaseClock: Clock = { read: () => ({ from: 'database' }) }

export type ManualClock = Clock & {
  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number }): void
}

/** A clock for tests: it stays at one instant until the test moves it. */
export function manualClock(start: Date): ManualClock {
  let at = start
  return {
    read: () => ({ from: 'harness', at }),
    advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }) {
      at = new Date(at.getTime() + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
    },
  }
}

/**
 * The time of a test clock; `realClock` supplies the real time. A test clock advances only when its database
 * row changes.
 */
export function testClock(id: Id<'test_clock'>, at: Date, realClock: Clock): Clock {
  return { read: () => ({ from: 'test_clock', at, id, wallTimeAt: wallTimeOf(realClock.read()) }) }
}

/** The real time, independent of test clocks; null to use the time of the database. */
export function wallTimeOf(reading: Reading): Date | null {
  if (reading.from === 'test_clock') return reading.wallTimeAt
  return reading.from === 'harness' ? reading.at : null
}

/**
 * The clock of this machine, for logs and for comparison with the database clock. No business decision may
 * use it.
 */
export function machineTime(): Date {
  return new Date()
}

/** Monotonic milliseconds, for measuring durations. */
export function monotonicMs(): number {
  return performance.now()
}

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
