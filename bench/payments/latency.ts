/** Measures the latency that the server adds to the provider's latency, at half of the maximum rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { openSockets, type TimedResponse } from '../ratios/open-load.ts'
import { quantile } from '../ratios/quartiles.ts'
import type { TestMerchant } from './merchant.ts'

export type Latency = {
  readonly offered: number
  readonly payments: number
  /** The response time minus the simulator's own time for that payment. */
  readonly added: { readonly p50Ms: number; readonly p99Ms: number }
  readonly simulator: { readonly p50Ms: number; readonly p99Ms: number }
  /** How late the load generator sent its requests. */
  readonly sentLateP99Ms: number
}

export async function measureLatency(
  { port, simulator, postgres }: BenchEnvironment,
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
  const uuids = responses.map(({ id }) => uuidOf(id as Id<'payment'>))
  const references = await referencesOf(postgres.url, uuids)
  const simulatorMs = uuids.map((uuid) => times[references.get(uuid) ?? ''] ?? Number.NaN)
  const addedMs = responses.map(({ tookMs }, nth) => tookMs - (simulatorMs[nth] ?? Number.NaN))
  return {
    offered,
    payments: responses.length,
    added: percentilesOf(addedMs),
    simulator: percentilesOf(simulatorMs),
    sentLateP99Ms: percentilesOf(lateMs).p99Ms,
  }
}

/** The reference of the authorization of each payment. */
async function referencesOf(databaseUrl: string, paymentUuids: readonly string[]) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ payment_id: string; reference: string }>(
    `select payment_id, reference from operations where kind = 'authorize' and payment_id = any($1::uuid[])`,
    [paymentUuids],
  )
  await client.end()
  return new Map(rows.map(({ payment_id, reference }) => [payment_id, reference]))
}

function percentilesOf(figures: readonly number[]) {
  const sorted = figures.toSorted((a, b) => a - b)
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}
