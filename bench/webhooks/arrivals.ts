/** What the receiver can tell: how many came, when, and how long after the commit of their change. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import type { Sink } from '../../packages/server/test/support/sink-process.ts'
import type { Stage } from './stage.ts'

const patienceMs = 120_000

/** So many deliveries, at paths that count. */
export type Wanted = { readonly count: number; readonly isCounted?: (path: string) => boolean }

const everywhere = () => true

export async function untilArrived(sink: Sink, { count, isCounted = everywhere }: Wanted): Promise<void> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const { paths } = await sink.summary()
    const counted = Object.entries(paths).filter(([path]) => isCounted(path))
    const came = counted.reduce((sum, [, { received }]) => sum + received, 0)
    if (came >= count) return
    if (performance.now() > untilMs) throw new Error(`${came} of ${count} deliveries came.`)
    await sleep(100)
  }
}

/** When each came first, in order, in milliseconds of wall time. */
export async function arrivalTimes(sink: Sink, isCounted = everywhere as (path: string) => boolean) {
  const { paths } = await sink.arrivals()
  return Object.entries(paths)
    .filter(([path]) => isCounted(path))
    .flatMap(([, firstMs]) => firstMs.filter((ms) => ms > 0))
    .toSorted((a, b) => a - b)
}

/** Milliseconds from the commit to the first request, for each delivery, in order. */
export async function waitsSinceCommit(
  { sink, owner }: Stage,
  isCounted = everywhere as (path: string) => boolean,
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
      firstMs.flatMap((ms, place) => (ms > 0 ? [ms - (commits[place] ?? Number.NaN)] : [])),
    )
    .toSorted((a, b) => a - b)
}
