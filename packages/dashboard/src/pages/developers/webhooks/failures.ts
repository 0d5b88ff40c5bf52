/** What the latest deliveries of an endpoint tell: why some failed, and how the day went. Pure. */
import type { Delivery } from '@switchyard/sdk'

export type Cause = {
  readonly key: string
  readonly outcome: NonNullable<Delivery['last_outcome']>
  readonly status: number | null
  /** Those that have not arrived, the newest first. */
  readonly deliveries: readonly Delivery[]
  readonly firstAt: string
  readonly lastAt: string
}

/** Deliveries whose last attempt failed, by what the receiver said; the most frequent cause first. */
export function causesOf(deliveries: readonly Delivery[]): readonly Cause[] {
  const failed = deliveries.filter(hasFailed)
  const groups = Map.groupBy(failed, (one) => `${one.last_outcome} ${one.last_status ?? ''}`.trim())
  return [...groups]
    .map(([key, members]) => {
      const times = members.map(({ created_at }) => created_at).toSorted()
      const [first] = members as [Delivery]
      return {
        key,
        outcome: first.last_outcome as Cause['outcome'],
        status: first.last_status,
        deliveries: members,
        firstAt: times[0] as string,
        lastAt: times.at(-1) as string,
      }
    })
    .toSorted((one, other) => other.deliveries.length - one.deliveries.length)
}

function hasFailed({ state, last_outcome }: Delivery): boolean {
  return state !== 'delivered' && last_outcome !== null && last_outcome !== 'ok'
}

export type DayBar = { readonly startMs: number; readonly values: readonly [number, number, number, number] }

const stretchMs = 30 * 60_000
const stretches = 48

/** A day in half hours: delivered at the first try, by a retry, on the way, failed. By when they came to be. */
export function dayOf(deliveries: readonly Delivery[], nowMs: number): readonly DayBar[] {
  const endMs = Math.ceil(nowMs / stretchMs) * stretchMs
  const counts = Array.from({ length: stretches }, () => [0, 0, 0, 0] as [number, number, number, number])
  for (const delivery of deliveries) {
    const back = Math.floor((endMs - 1 - Date.parse(delivery.created_at)) / stretchMs)
    const bar = counts[stretches - 1 - back]
    if (bar !== undefined) bar[seriesOf(delivery)] += 1
  }
  return counts.map((values, place) => ({ startMs: endMs - (stretches - place) * stretchMs, values }))
}

function seriesOf({ state, attempts_made, last_outcome }: Delivery): 0 | 1 | 2 | 3 {
  if (state === 'delivered') return attempts_made > 1 ? 1 : 0
  return last_outcome === null || last_outcome === 'ok' ? 2 : 3
}
