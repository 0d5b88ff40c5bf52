/** Failure reasons and the daily chart, computed from the latest deliveries of an endpoint. No side effects. */
import type { Delivery } from '@switchyard/sdk'

export type Cause = {
  readonly key: string
  readonly outcome: NonNullable<Delivery['last_outcome']>
  readonly status: number | null
  /** The deliveries that were not delivered, the newest first. */
  readonly deliveries: readonly Delivery[]
  readonly firstAt: string
  readonly lastAt: string
}

/** Deliveries whose last attempt failed, grouped by outcome; the most frequent cause first. */
export function causesOf(deliveries: readonly Delivery[]): readonly Cause[] {
  const failed = deliveries.filter(hasFailed)
  const groups = Map.groupBy(failed, (one) => `${one.last_outcome} ${one.last_status ?? ''}`.trim())
  return [...groups]
    .map(([key, group]) => {
      const times = group.map(({ created_at }) => created_at).toSorted()
      const [first] = group as [Delivery]
      return {
        key,
        outcome: first.last_outcome as Cause['outcome'],
        status: first.last_status,
        deliveries: group,
        firstAt: times[0] as string,
        lastAt: times.at(-1) as string,
      }
    })
    .toSorted((one, other) => other.deliveries.length - one.deliveries.length)
}

function hasFailed({ state, last_outcome }: Delivery): boolean {
  return state !== 'delivered' && last_outcome !== null && last_outcome !== 'ok'
}

export type HalfHour = {
  readonly startMs: number
  readonly values: readonly [number, number, number, number]
}

const halfHourMs = 30 * 60_000
const halfHours = 48

/** A day in half hours, by creation time: delivered on first attempt, after a retry, pending, failed. */
export function halfHoursOf(deliveries: readonly Delivery[], nowMs: number): readonly HalfHour[] {
  const endMs = Math.ceil(nowMs / halfHourMs) * halfHourMs
  const counts = Array.from({ length: halfHours }, () => [0, 0, 0, 0] as [number, number, number, number])
  for (const delivery of deliveries) {
    const barsFromEnd = Math.floor((endMs - 1 - Date.parse(delivery.created_at)) / halfHourMs)
    const bar = counts[halfHours - 1 - barsFromEnd]
    if (bar !== undefined) bar[seriesOf(delivery)] += 1
  }
  return counts.map((values, index) => ({ startMs: endMs - (halfHours - index) * halfHourMs, values }))
}

function seriesOf({ state, attempts_made, last_outcome }: Delivery): 0 | 1 | 2 | 3 {
  if (state === 'delivered') return attempts_made > 1 ? 1 : 0
  return last_outcome === null || last_outcome === 'ok' ? 2 : 3
}
