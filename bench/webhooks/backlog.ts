/** Deliveries that wait, and how fast they leave once somebody serves them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Round } from '../ratios/compare.ts'
import type { Started } from '../ratios/processes.ts'
import { processMs } from '../ratios/processor.ts'
import { arrivalTimes, untilArrived, type Wanted } from './arrivals.ts'
import type { Stage } from './stage.ts'

const patienceMs = 60_000
/** A process that has just begun warms up meanwhile. */
const warmUpShare = 0.25

export type Draining = {
  readonly wanted: Wanted
  readonly start: () => Promise<Started>
  /** When all was done that belongs to it, beside the arrivals; in milliseconds of wall time. */
  readonly untilMs?: () => Promise<number>
}

/** Whoever is started serves what waits; the rate counts from the first quarter to the end. */
export async function drain(
  stage: Stage,
  { wanted, start, untilMs = async () => 0 }: Draining,
): Promise<{ readonly round: Round; readonly worker: Started }> {
  const { sink, clocks } = stage
  await sink.clear()
  const before = Object.entries(clocks).map(([who, clock]) => ({ who, clock, ms: clock() }))
  const worker = await start()
  await untilArrived(sink, wanted)
  const spent = before.map(({ who, clock, ms }) => [who, (clock() - ms) / wanted.count])
  const cpuMs = { worker: processMs(worker.pid) / wanted.count, ...Object.fromEntries(spent) }
  const perSecond = rateOf(await arrivalTimes(sink, wanted.isCounted), await untilMs())
  return { round: { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, cpuMs }, worker }
}

function rateOf(timesMs: readonly number[], untilMs: number): number {
  const from = Math.floor(timesMs.length * warmUpShare)
  const [first = 0, last = 0] = [timesMs[from], timesMs.at(-1)]
  return ((timesMs.length - from - 1) * 1000) / (Math.max(last, untilMs) - first)
}

/** Settles when everything that arrived is also written down; gives when the last of it was. */
export async function recorded({ owner }: Stage): Promise<number> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const { rowCount } = await owner.query(`select from deliveries where state = 'pending' limit 1`)
    if (rowCount === 0) return await lastWrittenMs(owner)
    if (performance.now() > untilMs) throw new Error('Some deliveries are not written down.')
    await sleep(20)
  }
}

async function lastWrittenMs(owner: Client): Promise<number> {
  const { rows } = await owner.query(
    'select extract(epoch from max(settled_at)) * 1000 as ms from deliveries',
  )
  return Number(rows[0].ms)
}
