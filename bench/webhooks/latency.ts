/** Measures the time from the commit of a change to the first byte at the receiver, at half of the maximum rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookWorkspace } from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { quantile } from '../ratios/quartiles.ts'
import { latenciesSinceCommit, waitForArrivals } from './arrivals.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { WebhookEnvironment } from './environment.ts'

export type LatencyPercentiles = { readonly p50Ms: number; readonly p99Ms: number }

export type Latency = LatencyPercentiles & {
  /** The maximum deliveries per second when events are created and delivered concurrently. */
  readonly maximum: number
  readonly offered: number
}

const verifyEvery = 100

export async function measureLatency(bench: WebhookEnvironment, effort: Effort): Promise<Latency> {
  const workspaces = await bench.newWorkspaces(1)
  for (const workspace of workspaces) await workspace.addEndpoints({ count: endpointsPerWorkspace })
  await bench.sink.verify({ every: verifyEvery })
  const worker = await bench.startWorker()
  await liveRate(bench, workspaces, effort.liveEvents)
  const maximum = await liveRate(bench, workspaces, effort.liveEvents)
  const offered = maximum / 2
  const percentiles = await measureAtRate(bench, workspaces, { offered, forMs: effort.steadyMs })
  await worker.end('SIGTERM')
  return { maximum, offered, ...percentiles }
}

/** Deliveries per second from the first request to the last arrival. */
export async function liveRate(
  bench: WebhookEnvironment,
  workspaces: readonly WebhookWorkspace[],
  events: number,
): Promise<number> {
  await bench.sink.clear()
  const count = Math.ceil(events / workspaces.length)
  const deliveries = count * workspaces.length * endpointsPerWorkspace
  const startedMs = performance.now()
  const connections = Math.ceil(32 / workspaces.length)
  await Promise.all(workspaces.map((workspace) => workspace.createCustomers({ count, connections })))
  await waitForArrivals(bench.sink, { count: deliveries })
  return (deliveries * 1000) / (performance.now() - startedMs)
}

export type SteadyLoad = {
  /** The offered load in deliveries per second. */
  readonly offered: number
  readonly forMs: number
  /** Selects the measured arrivals; default: all. */
  readonly isCounted?: (path: string) => boolean
}

/** Open loop at a fixed rate: a late event does not delay later ones. */
export async function measureAtRate(
  bench: WebhookEnvironment,
  workspaces: readonly WebhookWorkspace[],
  { offered, forMs, isCounted = () => true }: SteadyLoad,
): Promise<LatencyPercentiles> {
  await bench.sink.clear()
  const gapMs = (endpointsPerWorkspace * 1000) / offered
  const events = Math.max(1, Math.floor(forMs / gapMs))
  const startedMs = performance.now()
  const pending: Promise<void>[] = []
  const deliveriesPerEvent = workspaces.map(
    ({ endpoints }) => endpoints.filter(({ path }) => isCounted(path)).length,
  )
  let count = 0
  for (let nth = 0; nth < events; nth += 1) {
    const earlyMs = startedMs + nth * gapMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    const turn = nth % workspaces.length
    pending.push((workspaces[turn] as WebhookWorkspace).createCustomers({ count: 1, connections: 1 }))
    count += deliveriesPerEvent[turn] ?? 0
  }
  await Promise.all(pending)
  await waitForArrivals(bench.sink, { count, isCounted })
  const latenciesMs = await latenciesSinceCommit(bench, isCounted)
  return { p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99) }
}
