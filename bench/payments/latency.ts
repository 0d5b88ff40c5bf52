/** Measures the latency that the server adds to the provider's latency, at half of the maximum rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { openSockets, type TimedResponse } from '../ratios/open-load.ts'
import { quantile } from '../ratios/quartiles.ts'
import type { TestMerchant } from './merchant.ts'

export type Latency = {
  readonly offered: number
  readonly payments: number
  /** The response time minus the time of the simulator for that payment. */
  readonly added: { readonly p50Ms: number; readonly p99Ms: number }
  readonly simulator: { readonly p50Ms: number; readonly p99Ms: number }
  /** How late the load generator sent its requests. */
  readonly sentLateP99Ms: number
}

export async function measureLatency(
  { port, simulator }: BenchEnvironment,
  { request }: TestMerchant,
  { offered, forMs }: { readonly offered: number; readonly forMs: number },
): Promise<Latency> {
  await simulator.takeTimes()
  const sockets = openSockets(port)
  const gapMs = 1000 / offered
  const lateMs: number[] = []
  const pending: Promise<TimedResponse>[] = []
  const startedMs = performance.now()
  // Open loop at a fixed rate: a late response does not delay later requests.
  for (let nth = 0; nth * gapMs < forMs; nth += 1) {
    const earlyMs = startedMs + nth * gapMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    lateMs.push(Math.max(0, performance.now() - startedMs - nth * gapMs))
    pending.push(sockets.send(request()))
  }
  const responses = await Promise.all(pending)
  sockets.close()
  const times = await simulator.takeTimes()
  // The reference of an operation contains the id of the payment.
  const simulatorMs = responses.map(({ id }) => times[`${id.slice(-26)}-1`] ?? Number.NaN)
  const addedMs = responses.map(({ tookMs }, nth) => tookMs - (simulatorMs[nth] ?? Number.NaN))
  return {
    offered,
    payments: responses.length,
    added: percentilesOf(addedMs),
    simulator: percentilesOf(simulatorMs),
    sentLateP99Ms: percentilesOf(lateMs).p99Ms,
  }
}

function percentilesOf(figures: readonly number[]) {
  const sorted = figures.toSorted((a, b) => a - b)
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}
