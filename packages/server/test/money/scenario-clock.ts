// The clock of a scenario and its providers. The time changes only when the scenario advances it.

import type { Clock } from '../../src/kernel/clock.ts'

export type ScenarioClock = Clock & {
  nowMs(): number
  advance(ms: number): void
  /** Resets the time for the next scenario. */
  set(ms: number): void
}

export function newScenarioClock(): ScenarioClock {
  let currentMs = Date.now()
  return {
    read: () => ({ from: 'harness', at: new Date(currentMs) }),
    nowMs: () => currentMs,
    advance: (ms) => {
      currentMs += ms
    },
    set: (ms) => {
      currentMs = ms
    },
  }
}
