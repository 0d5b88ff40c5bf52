// The time of a story, here and at its providers. It stands still until the story lets it pass.

import type { Clock } from '../../src/kernel/clock.ts'

export type StoryClock = Clock & {
  nowMs(): number
  advance(ms: number): void
  /** For the next story. */
  set(ms: number): void
}

export function newStoryClock(): StoryClock {
  let atMs = Date.now()
  return {
    read: () => ({ from: 'harness', at: new Date(atMs) }),
    nowMs: () => atMs,
    advance: (ms) => {
      atMs += ms
    },
    set: (ms) => {
      atMs = ms
    },
  }
}
