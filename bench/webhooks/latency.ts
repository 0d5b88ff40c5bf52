/** From the commit of a change to the first byte at the receiver, while events come at half of the possible rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../../packages/server/test/flows/support/webhook-account.ts'
import { at } from '../ratios/quartiles.ts'
import { untilArrived, waitsSinceCommit } from './arrivals.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { Stage } from './stage.ts'

export type Waits = { readonly p50Ms: number; readonly p99Ms: number }

export type Latency = Waits & {
  /** Deliveries a second when events are told and delivered at the same time, as fast as it goes. */
  readonly maximum: number
  readonly offered: number
}

const verifiedShare = 100

export async function measureLatency(stage: Stage, effort: Effort): Promise<Latency> {
  const accounts = await stage.newAccounts(1)
  for (const account of accounts) await account.addEndpoints({ count: endpointsPerWorkspace })
  await stage.sink.verify({ every: verifiedShare })
  const worker = await stage.startWorker()
  await liveRate(stage, accounts, effort.liveEvents)
  const maximum = await liveRate(stage, accounts, effort.liveEvents)
  const offered = maximum / 2
  const waits = await steady(stage, accounts, { offered, forMs: effort.steadyMs })
  await worker.end('SIGTERM')
  return { maximum, offered, ...waits }
}

/** Deliveries a second from the first request to the last arrival, with so many events in all. */
export async function liveRate(stage: Stage, accounts: readonly Account[], events: number): Promise<number> {
  await stage.sink.clear()
  const count = Math.ceil(events / accounts.length)
  const deliveries = count * accounts.length * endpointsPerWorkspace
  const startedMs = performance.now()
  const connections = Math.ceil(32 / accounts.length)
  await Promise.all(accounts.map((account) => account.publish({ count, connections })))
  await untilArrived(stage.sink, { count: deliveries })
  return (deliveries * 1000) / (performance.now() - startedMs)
}

export type Steady = {
  /** Deliveries a second that the events ask for. */
  readonly offered: number
  readonly forMs: number
  /** Whose arrivals count; without it all. */
  readonly isCounted?: (path: string) => boolean
}

/** Events at a fixed rate, whatever becomes of them: one that is late makes no other come later. */
export async function steady(
  stage: Stage,
  accounts: readonly Account[],
  { offered, forMs, isCounted = () => true }: Steady,
): Promise<Waits> {
  await stage.sink.clear()
  const gapMs = (endpointsPerWorkspace * 1000) / offered
  const events = Math.max(1, Math.floor(forMs / gapMs))
  const startedMs = performance.now()
  const under: Promise<void>[] = []
  const owed = accounts.map(({ endpoints }) => endpoints.filter(({ path }) => isCounted(path)).length)
  let count = 0
  for (let nth = 0; nth < events; nth += 1) {
    const earlyMs = startedMs + nth * gapMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    const turn = nth % accounts.length
    under.push((accounts[turn] as Account).publish({ count: 1, connections: 1 }))
    count += owed[turn] ?? 0
  }
  await Promise.all(under)
  await untilArrived(stage.sink, { count, isCounted })
  const waitsMs = await waitsSinceCommit(stage, isCounted)
  return { p50Ms: at(waitsMs, 0.5), p99Ms: at(waitsMs, 0.99) }
}
