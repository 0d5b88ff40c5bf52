/**
 * Whose time it is. Business time comes from Postgres, so machines whose clocks differ agree; a harness
 * may turn it by hand. This is the one file that may ask the machine.
 */

import type { Id } from './id.ts'

/** An instant, or the word that the database shall say. Objects of a test clock live in the time of that clock. */
export type Reading =
  | { readonly from: 'database' }
  | { readonly from: 'harness'; readonly at: Date }
  | {
      readonly from: 'test_clock'
      readonly at: Date
      readonly id: Id<'test_clock'>
      /** What a harness says about the world around it; null: the database knows. */
      readonly wallAt: Date | null
    }

export type Clock = { read(): Reading }

export const databaseClock: Clock = { read: () => ({ from: 'database' }) }

export type HandClock = Clock & {
  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number }): void
}

/** A clock for tests: it stands still until it is moved. */
export function handClock(start: Date): HandClock {
  let at = start
  return {
    read: () => ({ from: 'harness', at }),
    advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }) {
      at = new Date(at.getTime() + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
    },
  }
}

/** What a test clock shows, in a world that has a clock of its own. It is moved by its own row, and by nobody else. */
export function testClock(id: Id<'test_clock'>, at: Date, world: Clock): Clock {
  return { read: () => ({ from: 'test_clock', at, id, wallAt: wallOf(world.read()) }) }
}

/** The time of the world, which knows nothing of test clocks; null: the database knows. */
export function wallOf(reading: Reading): Date | null {
  if (reading.from === 'test_clock') return reading.wallAt
  return reading.from === 'harness' ? reading.at : null
}

/** The machine's own time, for logs and for comparing it with the database's. It decides nothing. */
export function machineTime(): Date {
  return new Date()
}

/** Milliseconds that only rise, for measuring how long something took. */
export function monotonicMs(): number {
  return performance.now()
}

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
