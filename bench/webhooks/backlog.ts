/** Measures how fast a backlog of deliveries is sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Round } from '../ratios/compare.ts'
import type { Started } from '../ratios/processes.ts'
import { processMs } from '../ratios/processor.ts'
import { arrivalTimes, type ExpectedDeliveries, waitForArrivals } from './arrivals.ts'
import type { WebhookEnvironment } from './environment.ts'

const timeoutMs = 60_000
/** The warm-up of a new process. */
const warmUpShare = 0.25

export type BacklogRun = {
  readonly expected: ExpectedDeliveries
  readonly start: () => Promise<Started>
  /**
   * When the work that follows the arrivals, such as recording them, was completed, in milliseconds of wall
   * time.
   */
  readonly endMs?: () => Promise<number>
}

/** Starts a sender and measures its rate from the end of the first quarter to the end. */
export async function sendBacklog(
  bench: WebhookEnvironment,
  { expected, start, endMs = async () => 0 }: BacklogRun,
): Promise<{ readonly round: Round; readonly worker: Started }> {
  const { sink, clocks } = bench
  await sink.clear()
  const before = Object.entries(clocks).map(([processName, clock]) => ({ processName, clock, ms: clock() }))
  const worker = await start()
  await waitForArrivals(sink, expected)
  const cpuPerDelivery = before.map(({ processName, clock, ms }) => [
    processName,
    (clock() - ms) / expected.count,
  ])
  const cpuMs = { worker: processMs(worker.pid) / expected.count, ...Object.fromEntries(cpuPerDelivery) }
  const perSecond = rateOf(await arrivalTimes(sink, expected.isCounted), await endMs())
  return { round: { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, cpuMs }, worker }
}

function rateOf(timesMs: readonly number[], endMs: number): number {
  const from = Math.floor(timesMs.length * warmUpShare)
  const [first = 0, last = 0] = [timesMs[from], timesMs.at(-1)]
  return ((timesMs.length - from - 1) * 1000) / (Math.max(last, endMs) - first)
}

/** Resolves when every arrived delivery is also recorded, with the time of the last one. */
export async function waitUntilRecorded({ owner }: WebhookEnvironment): Promise<number> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const { rowCount } = await owner.query(`select from deliveries where state = 'pending' limit 1`)
    if (rowCount === 0) return await lastWrittenMs(owner)
    if (performance.now() > deadlineMs) throw new Error('Some deliveries were not recorded.')
    await sleep(20)
  }
}

async function lastWrittenMs(owner: Client): Promise<number> {
  const { rows } = await owner.query(
    'select extract(epoch from max(settled_at)) * 1000 as ms from deliveries',
  )
  return Number(rows[0].ms)
}
