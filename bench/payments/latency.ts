/** What the service adds to the time of the provider, while payments come at half of the possible rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answered, openSockets } from '../ratios/open-load.ts'
import { at } from '../ratios/quartiles.ts'
import type { Stage } from '../ratios/stage.ts'
import type { Shop } from './shop.ts'

export type Latency = {
  readonly offered: number
  readonly payments: number
  /** Of the answer less the simulator's own time for that payment. */
  readonly added: { readonly p50Ms: number; readonly p99Ms: number }
  readonly simulator: { readonly p50Ms: number; readonly p99Ms: number }
  /** How late the generator itself was. */
  readonly sentLateP99Ms: number
}

export async function measureLatency(
  { port, simulator }: Stage,
  { request }: Shop,
  { offered, forMs }: { readonly offered: number; readonly forMs: number },
): Promise<Latency> {
  await simulator.takeTimes()
  const sockets = openSockets(port)
  const gapMs = 1000 / offered
  const lateMs: number[] = []
  const under: Promise<Answered>[] = []
  const startedMs = performance.now()
  // At a fixed rate, whatever becomes of those before: one that is late makes no other come later.
  for (let nth = 0; nth * gapMs < forMs; nth += 1) {
    const earlyMs = startedMs + nth * gapMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    lateMs.push(Math.max(0, performance.now() - startedMs - nth * gapMs))
    under.push(sockets.ask(request()))
  }
  const answers = await Promise.all(under)
  sockets.close()
  const times = await simulator.takeTimes()
  // The reference of an operation is made of the payment's id.
  const simulatorMs = answers.map(({ id }) => times[`${id.slice(-26)}-1`] ?? Number.NaN)
  const addedMs = answers.map(({ tookMs }, nth) => tookMs - (simulatorMs[nth] ?? Number.NaN))
  return {
    offered,
    payments: answers.length,
    added: middleAndEnd(addedMs),
    simulator: middleAndEnd(simulatorMs),
    sentLateP99Ms: middleAndEnd(lateMs).p99Ms,
  }
}

function middleAndEnd(figures: readonly number[]) {
  const sorted = figures.toSorted((a, b) => a - b)
  return { p50Ms: at(sorted, 0.5), p99Ms: at(sorted, 0.99) }
}
