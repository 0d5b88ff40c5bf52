/** Arrivals at the receiver: how many, when, and how long after the commit. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import type { Sink } from '../../packages/server/test/support/sink-process.ts'
import type { WebhookEnvironment } from './environment.ts'

const timeoutMs = 120_000

/** The number of deliveries to wait for, optionally only at some paths. */
export type ExpectedDeliveries = { readonly count: number; readonly isCounted?: (path: string) => boolean }

const anyPath = () => true

export async function waitForArrivals(
  sink: Sink,
  { count, isCounted = anyPath }: ExpectedDeliveries,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const { paths } = await sink.summary()
    const counted = Object.entries(paths).filter(([path]) => isCounted(path))
    const arrived = counted.reduce((sum, [, { received }]) => sum + received, 0)
    if (arrived >= count) return
    if (performance.now() > deadlineMs) throw new Error(`${arrived} of ${count} deliveries arrived.`)
    await sleep(100)
  }
}

/** The first arrival of each delivery, sorted, in milliseconds of wall time. */
export async function arrivalTimes(sink: Sink, isCounted = anyPath as (path: string) => boolean) {
  const { paths } = await sink.arrivals()
  return Object.entries(paths)
    .filter(([path]) => isCounted(path))
    .flatMap(([, firstMs]) => firstMs.filter((ms) => ms > 0))
    .toSorted((a, b) => a - b)
}

/** Milliseconds from the commit to the first request, for each delivery, in order. */
export async function latenciesSinceCommit(
  { sink, owner }: WebhookEnvironment,
  isCounted = anyPath as (path: string) => boolean,
): Promise<number[]> {
  const { eventIds, paths } = await sink.arrivals()
  const { rows } = await owner.query(
    `select id, extract(epoch from pg_xact_commit_timestamp(txid::xid)) * 1000 as committed_ms
     from events where id = any ($1::uuid[])`,
    [eventIds.map((id) => uuidOf(id as Id<'event'>))],
  )
  const committedMs = new Map<string, number>(rows.map((row) => [row.id, Number(row.committed_ms)]))
  const commits = eventIds.map((id) => committedMs.get(uuidOf(id as Id<'event'>)) ?? Number.NaN)
  return Object.entries(paths)
    .filter(([path]) => isCounted(path))
    .flatMap(([, firstMs]) =>
      firstMs.flatMap((ms, index) => (ms > 0 ? [ms - (commits[index] ?? Number.NaN)] : [])),
    )
    .toSorted((a, b) => a - b)
}
