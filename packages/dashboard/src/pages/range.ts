/** The time range of a list. */
import { dayMs } from '../format/time.ts'
import type { Filter } from '../ui/filters.tsx'

const rangeMs: { readonly [range: string]: number } = {
  '1_hour': 3_600_000,
  '24_hours': dayMs,
  '7_days': 7 * dayMs,
  '30_days': 30 * dayMs,
}

export const rangeFilter = { name: 'range', label: 'Range', options: Object.keys(rangeMs) } satisfies Filter

/** Rounded to the minute, so that a refetch uses the same start. Null: no limit. */
export function sinceOf(range: string | undefined, nowMs = Date.now()): string | null {
  const ms = range === undefined ? undefined : rangeMs[range]
  return ms === undefined ? null : new Date(Math.floor((nowMs - ms) / 60_000) * 60_000).toISOString()
}
