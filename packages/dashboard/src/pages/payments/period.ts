/** Converts the days in the URL to the time range of the API. No side effects. */
import type { PageQuery } from '@switchyard/sdk'
import type { Filter, FilterValues } from '../../ui/filters.tsx'

export const periodFilters: readonly Filter[] = [
  { name: 'from', label: 'From', type: 'date', placeholder: 'YYYY-MM-DD' },
  { name: 'to', label: 'To', type: 'date', placeholder: 'YYYY-MM-DD' },
]

/** Both days are included, in local time. Invalid days are ignored. */
export function periodOf({ from, to }: FilterValues): Pick<PageQuery, 'created_at'> {
  const [gte, last] = [dayOf(from), dayOf(to)]
  // With daylight saving time, a day can have 23 or 25 hours.
  const lt = last === null ? null : new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1)
  if (gte === null && lt === null) return {}
  return {
    created_at: {
      ...(gte === null ? {} : { gte: gte.toISOString() }),
      ...(lt === null ? {} : { lt: lt.toISOString() }),
    },
  }
}

function dayOf(text: string | undefined): Date | null {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const day = new Date(`${text}T00:00:00`)
  return Number.isNaN(day.getTime()) ? null : day
}

/** The filters other than the period. They have the same names in the API. */
export function otherFilters<Query>(filterValues: FilterValues): Query {
  const { from: _from, to: _to, ...others } = filterValues
  return others as Query
}
