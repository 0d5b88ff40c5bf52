/** Work that continues after the response was sent. The process waits for it before it exits. */
import type { Log } from './log.ts'

export function createBackgroundWork(log: Log) {
  const running = new Set<Promise<unknown>>()
  return {
    add(work: Promise<unknown>) {
      const ended = work
        .catch((error) => log.error('work failed after the response was sent', { error }))
        .finally(() => running.delete(ended))
      running.add(ended)
    },
    ended: () => Promise.all(running),
  }
}
