/**
 * Whose time it is. Business time comes from Postgres, so machines whose clocks differ agree; a harness
 * may turn it by hand. This is the one file that may ask the machine.
 */

/** An instant, or the word that the database shall say. */
export type Reading = { readonly from: 'database' } | { readonly from: 'harness'; readonly at: Date }

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
