/** What goes wrong on purpose while subscriptions renew: workers die, Postgres restarts, JetStream loses its store. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '../ratios/processes.ts'
import type { Stage } from './stage.ts'

export type Faults = { readonly killed: number; readonly restarted: number; readonly wiped: number }

const killEveryMs = 2_000
/** The kill after which it happens. */
const restartAfter = 4
const wipeAfter = 8

/**
 * Kills the oldest worker each time and starts another in its place, until it is stopped; then all live. Only one that
 * works, and only while another does: on a busy machine they would die before they have begun, and nothing be shown.
 */
export function causeFaults(stage: Stage, workers: Started[]): { stop(): Promise<Faults> } {
  const ended = new AbortController()
  const ready = new Set(workers)
  let [killed, restarted, wiped] = [0, 0, 0]
  const replace = async () => {
    const [oldest] = ready
    if (oldest === undefined || ready.size < 2) return
    ready.delete(oldest)
    workers.splice(workers.indexOf(oldest), 1)
    await oldest.end('SIGKILL')
    const started = await stage.startWorker()
    workers.push(started)
    started.said('"ready"').then(
      () => ready.add(started),
      () => {},
    )
    killed += 1
    if (killed === restartAfter) restarted += await stage.restartPostgres().then(() => 1)
    if (killed === wipeAfter) wiped += await stage.wipeNats().then(() => 1)
  }
  const live = async () => {
    while (!ended.signal.aborted) {
      await sleep(killEveryMs, undefined, { signal: ended.signal }).catch(() => {})
      if (!ended.signal.aborted) await replace()
    }
  }
  const living = live()
  return {
    async stop() {
      ended.abort()
      await living
      return { killed, restarted, wiped }
    },
  }
}
