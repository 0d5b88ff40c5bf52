/**
 * Takes a sample of the installation after each interval. After the run, adds the deliveries that the
 * receiver recorded.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { timeOf } from '../../packages/server/src/domains/webhooks/events/reader-position.ts'
import { uuidFromText } from '../../packages/server/src/kernel/id.ts'
import type { Arrivals } from '../../packages/server/test/support/sink-ledger.ts'
import { quantile } from '../ratios/quartiles.ts'
import type { SoakInstallation } from './installation.ts'
import type { Interval } from './judge.ts'
import type { SoakLoad } from './load.ts'

export type Sample = Omit<Interval, 'deliveriesPerSecond' | 'lagP50Ms' | 'lagP99Ms'> & {
  readonly endedAtMs: number
  readonly latenciesMs: readonly number[]
}

/** Takes samples until the time is up or the run is interrupted. */
export async function takeSamples(
  installation: SoakInstallation,
  load: SoakLoad,
  { intervals, intervalMs, signal }: { intervals: number; intervalMs: number; signal: AbortSignal },
): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedMs = performance.now()
  const walBefore = (await readDatabase(installation)).walPosition
  let cpuBefore = readAll(installation.clocks)
  load.take()
  for (let nth = 1; nth <= intervals && !signal.aborted; nth += 1) {
    await sleep(startedMs + nth * intervalMs - performance.now(), undefined, { signal }).catch(() => {})
    const { latenciesMs, sentLateMs } = load.take()
    const { walPosition, ...database } = await readDatabase(installation)
    const cpu = readAll(installation.clocks)
    samples.push({
      atSeconds: Math.round((performance.now() - startedMs) / 100) / 10,
      seconds: intervalMs / 1000,
      endedAtMs: Date.now(),
      latenciesMs,
      payments: latenciesMs.length,
      p50Ms: quantileOf(latenciesMs, 0.5),
      p99Ms: quantileOf(latenciesMs, 0.99),
      sentLateP99Ms: quantileOf(sentLateMs, 0.99),
      memoryMb: readAll(installation.memories),
      cpuMs: Object.fromEntries(Object.entries(cpu).map(([name, ms]) => [name, ms - (cpuBefore[name] ?? 0)])),
      oldestDueSeconds: await installation.oldestDueSeconds(),
      ...database,
      walBytes: walPosition - walBefore,
    })
    cpuBefore = cpu
  }
  return samples
}

const readAll = (readings: Readonly<Record<string, () => number>>) =>
  Object.fromEntries(Object.entries(readings).map(([name, read]) => [name, read()]))

/** The counts use partial indexes, so that reading them costs the same at the end of a long run. */
async function readDatabase({ owner }: SoakInstallation) {
  const { rows } = await owner.query<Record<string, string>>(`
    select pg_database_size(current_database()) as database_bytes,
      pg_current_wal_insert_lsn() - '0/0' as wal_position,
      (select count(*) from deliveries where state = 'pending') as pending_deliveries,
      (select count(*) from operations where status in ('sending', 'pending', 'unknown', 'awaiting_customer'))
        as open_operations`)
  const [row] = rows
  return {
    databaseBytes: Number(row?.database_bytes),
    walPosition: Number(row?.wal_position),
    pendingDeliveries: Number(row?.pending_deliveries),
    openOperations: Number(row?.open_operations),
  }
}

/** Assigns each arrival to the interval in which it arrived. */
export function addArrivals(samples: readonly Sample[], { eventIds, paths }: Arrivals): Interval[] {
  const createdMs = eventIds.map((id) => timeOf(uuidFromText('event', 'test', id) ?? '').getTime())
  const arrived = Object.values(paths).flatMap((firstMs) =>
    firstMs.flatMap((ms, index) => (ms > 0 ? [{ ms, lagMs: ms - (createdMs[index] ?? Number.NaN) }] : [])),
  )
  return samples.map(({ endedAtMs, latenciesMs: _, ...sample }) => {
    const from = endedAtMs - sample.seconds * 1000
    const lagsMs = arrived.filter(({ ms }) => ms >= from && ms < endedAtMs).map(({ lagMs }) => lagMs)
    return {
      ...sample,
      deliveriesPerSecond: lagsMs.length / sample.seconds,
      lagP50Ms: quantileOf(lagsMs, 0.5),
      lagP99Ms: quantileOf(lagsMs, 0.99),
    }
  })
}

const quantileOf = (figures: readonly number[], share: number) =>
  quantile(
    figures.toSorted((a, b) => a - b),
    share,
  )
