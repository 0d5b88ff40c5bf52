/** How late this process is with what it has to do. When it is late, reads wait before writes do. */
import { monotonicMs } from '../../kernel/clock.ts'

const tickMs = 50
const readsShedAtMs = 200
const writesShedAtMs = 1_000
/** How much of the last lateness is still felt a tick later: a short hiccup passes unnoticed. */
const memory = 0.8

export type Overload = { isOverloaded(method: string): boolean; stop(): void }

/** It begins with the first question: what a start takes is no lateness that anybody waited for. */
export function watchOverload(): Overload {
  let lateMs = 0
  let timer: NodeJS.Timeout | undefined
  const begin = () => {
    let expectedAtMs = monotonicMs() + tickMs
    const tick = () => {
      const nowMs = monotonicMs()
      lateMs = memory * lateMs + (1 - memory) * Math.max(0, nowMs - expectedAtMs)
      expectedAtMs = nowMs + tickMs
    }
    return setInterval(tick, tickMs).unref()
  }
  return {
    isOverloaded(method) {
      timer ??= begin()
      return lateMs > (method === 'GET' ? readsShedAtMs : writesShedAtMs)
    },
    stop: () => clearInterval(timer),
  }
}
