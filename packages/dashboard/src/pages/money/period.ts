/** Days of the address as the bounds that the API takes. Pure. */
import type { PageQuery } from '@switchyard/sdk'
import type { Chosen, Filter } from '../../ui/filters.tsx'

export const periodFilters: readonly Filter[] = [
  { name: 'from', label: 'From', type: 'date', placeholder: 'YYYY-MM-DD' },
  { name: 'to', label: 'To', type: 'date', placeholder: 'YYYY-MM-DD' },
]

/** Both days are part of it, in the time of whoever looks. What is no day bounds nothing. */
export function periodOf({ from, to }: Chosen): Pick<PageQuery, 'created_at'> {
  const [gte, last] = [dayOf(from), dayOf(to)]
  // The next day begins 23 or 25 hours later where the clocks are changed.
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

/** What is chosen beside the days: filters that the API knows by the same names. */
export function beside<Query>(chosen: Chosen): Query {
  const { from: _from, to: _to, ...rest } = chosen
  return rest as Query
}
