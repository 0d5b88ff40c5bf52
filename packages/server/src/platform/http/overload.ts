/** Measures the event loop delay of this process. Under overload, reads are rejected before writes. */
import { monotonicMs } from '../../kernel/clock.ts'

const tickMs = 50
const rejectReadsAtMs = 200
const rejectWritesAtMs = 1_000
/** The weight of previous delays in the moving average: a short delay has no effect. */
const smoothing = 0.8

export type Overload = { isOverloaded(method: string): boolean; stop(): void }

/** The measurement starts with the first call, so that delays at startup do not count. */
export function watchOverload(): Overload {
  let averageDelayMs = 0
  let timer: NodeJS.Timeout | undefined
  const startTimer = () => {
    let expectedAtMs = monotonicMs() + tickMs
    const tick = () => {
      const nowMs = monotonicMs()
      averageDelayMs = smoothing * averageDelayMs + (1 - smoothing) * Math.max(0, nowMs - expectedAtMs)
      expectedAtMs = nowMs + tickMs
    }
    return setInterval(tick, tickMs).unref()
  }
  return {
    isOverloaded(method) {
      timer ??= startTimer()
      return averageDelayMs > (method === 'GET' ? rejectReadsAtMs : rejectWritesAtMs)
    },
    stop: () => clearInterval(timer),
  }
}
