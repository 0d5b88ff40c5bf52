/** Injects faults while subscriptions renew: kills workers, restarts Postgres, wipes JetStream. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '../ratios/processes.ts'
import type { RenewalEnvironment } from './environment.ts'

export type Faults = { readonly killed: number; readonly restarted: number; readonly wiped: number }

const killEveryMs = 2_000
/** The numbers of kills after which Postgres is restarted and JetStream is wiped. */
const restartAfter = 4
const wipeAfter = 8

/**
 * Repeatedly kills the oldest worker and starts another one, until `stop` is called. Only kills a worker that is
 * working, and only while another one is working: on a busy machine workers would otherwise die before they start.
 */
export function causeFaults(bench: RenewalEnvironment, workers: Started[]): { stop(): Promise<Faults> } {
  const stopped = new AbortController()
  const ready = new Set(workers)
  let [killed, restarted, wiped] = [0, 0, 0]
  const replaceOldestWorker = async () => {
    const [oldest] = ready
    if (oldest === undefined || ready.size < 2) return
    ready.delete(oldest)
    workers.splice(workers.indexOf(oldest), 1)
    await oldest.end('SIGKILL')
    const started = await bench.startWorker()
    workers.push(started)
    started.waitForOutput('"ready"').then(
      () => ready.add(started),
      () => {},
    )
    killed += 1
    if (killed === restartAfter) restarted += await bench.restartPostgres().then(() => 1)
    if (killed === wipeAfter) wiped += await bench.wipeNats().then(() => 1)
  }
  const injectFaults = async () => {
    while (!stopped.signal.aborted) {
      await sleep(killEveryMs, undefined, { signal: stopped.signal }).catch(() => {})
      if (!stopped.signal.aborted) await replaceOldestWorker()
    }
  }
  const injecting = injectFaults()
  return {
    async stop() {
      stopped.abort()
      await injecting
      return { killed, restarted, wiped }
    },
  }
}
