// Measures how long the event loop was blocked, in CPU time of this thread. With wall time, a thread that
// waits for a core of a busy machine would seem blocked.

import { setImmediate as nextTurn } from 'node:timers/promises'

/** The CPU time of the longest turn of the event loop during the call, in milliseconds. */
export async function longestBlockMs(call: () => Promise<unknown>): Promise<number> {
  const measurement = { hasEnded: false, longestMs: 0 }
  const measuring = measureTurns(measurement)
  // Start in a new turn, so that earlier work of the test is not measured.
  await nextTurn()
  measurement.longestMs = 0
  try {
    await call()
  } finally {
    measurement.hasEnded = true
  }
  await measuring
  return measurement.longestMs
}

async function measureTurns(measurement: { hasEnded: boolean; longestMs: number }): Promise<void> {
  let previousMs = threadCpuMs()
  while (!measurement.hasEnded) {
    await nextTurn()
    const nowMs = threadCpuMs()
    measurement.longestMs = Math.max(measurement.longestMs, nowMs - previousMs)
    previousMs = nowMs
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
